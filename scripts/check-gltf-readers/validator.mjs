// Prints the errors and warnings of the validator of the Khronos Group. Arguments: glTF files.
import { readFileSync } from 'node:fs';
import validator from 'gltf-validator';

const files = process.argv.slice(2);
let failed = files.length === 0;
for (const file of files) {
    const report = await validator.validateBytes(new Uint8Array(readFileSync(file)), { maxIssues: 0 });
    for (const { severity, code, message, pointer } of report.issues.messages) {
        if (severity < 2) {
            failed = true;
            console.log(`${file}: ${code}: ${message} ${pointer}`);
        }
    }
}
console.log(`validator: ${files.length} files checked`);
process.exit(failed ? 1 : 0);
