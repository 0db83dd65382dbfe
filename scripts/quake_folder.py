"""Writes a minimal game folder for Quake engines, and compares their screenshots. `check-engines` runs it.

Needs no game data. The palette is read from the source of this repository.
"""

import math
import pathlib
import re
import struct
import sys
import zlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The first of the fullbright colors: light does not change them.
FIRST_FULLBRIGHT = 224
# A blue palette color.
WALL_COLOR = 44
EMPTY, SOLID = -1, -2

# The system globals and fields, in the order that the engines expect. progs.dat has their checksum, 5927.
SYSTEM = """
entity self, other, world;
float time, frametime, force_retouch;
string mapname;
float deathmatch, coop, teamplay, serverflags, total_secrets, total_monsters, found_secrets, killed_monsters;
float parm1, parm2, parm3, parm4, parm5, parm6, parm7, parm8;
float parm9, parm10, parm11, parm12, parm13, parm14, parm15, parm16;
vector v_forward, v_up, v_right;
float trace_allsolid, trace_startsolid, trace_fraction;
vector trace_endpos, trace_plane_normal;
float trace_plane_dist;
entity trace_ent;
float trace_inopen, trace_inwater;
entity msg_entity;
void() main, StartFrame, PlayerPreThink, PlayerPostThink, ClientKill, ClientConnect, PutClientInServer;
void() ClientDisconnect, SetNewParms, SetChangeParms;
void end_sys_globals;
.float modelindex;
.vector absmin, absmax;
.float ltime, movetype, solid;
.vector origin, oldorigin, velocity, angles, avelocity, punchangle;
.string classname, model;
.float frame, skin, effects;
.vector mins, maxs, size;
.void() touch, use, think, blocked;
.float nextthink;
.entity groundentity;
.float health, frags, weapon;
.string weaponmodel;
.float weaponframe, currentammo, ammo_shells, ammo_nails, ammo_rockets, ammo_cells, items, takedamage;
.entity chain;
.float deadflag;
.vector view_ofs;
.float button0, button1, button2, impulse, fixangle;
.vector v_angle;
.float idealpitch;
.string netname;
.entity enemy;
.float flags, colormap, team, max_health, teleport_time, armortype, armorvalue, waterlevel, watertype;
.float ideal_yaw, yaw_speed;
.entity aiment, goalentity;
.float spawnflags;
.string target, targetname;
.float dmg_take, dmg_save;
.entity dmg_inflictor, owner;
.vector movedir;
.string message;
.float sounds;
.string noise, noise1, noise2, noise3;
void end_sys_fields;
"""

# Two seconds after the player spawns, the game runs the console alias after_MAP. The .cfg files define the aliases.
GAME = """
void(entity e, vector position) setorigin = #2;
void(entity e, string path) setmodel = #3;
entity(entity start, .string field, string value) find = #18;
string(string path) precache_model = #20;
void(float style, string brightness) lightstyle = #35;
void(string command) localcmd = #46;

float screenshot_time;

void() main = {};
void() worldspawn = {
    precache_model("progs/player.mdl");
    lightstyle(0, "m");
};
void() info_player_start = {};
void() test_model = {
    precache_model("progs/test.mdl");
    setmodel(self, "progs/test.mdl");
};
void() StartFrame = {
    if (screenshot_time && time > screenshot_time) {
        screenshot_time = 0;
        localcmd("after_");
        localcmd(mapname);
        localcmd("\\n");
    }
};
void() PlayerPreThink = {};
void() PlayerPostThink = {};
void() ClientKill = {};
void() ClientConnect = {};
void() PutClientInServer = {
    local entity start;
    start = find(world, classname, "info_player_start");
    self.classname = "player";
    self.health = self.max_health = 100;
    self.view_ofs = '0 0 0';
    self.angles = '0 0 0';
    self.fixangle = 1;
    setorigin(self, start.origin);
    screenshot_time = time + 2;
};
void() ClientDisconnect = {};
void() SetNewParms = {};
void() SetChangeParms = {};
"""


def read_palette():
    """The colors of the constant `QUAKE` in the source of the plugin."""
    source = ROOT / "src/formats/quake/dependencies.rs"
    constant = re.search(r"const QUAKE: \[\[u8; 3\]; 256\] = \[(.*?)\];", source.read_text(), re.DOTALL)
    colors = re.findall(r"\[(\d+), (\d+), (\d+)\]", constant.group(1)) if constant else []
    if len(colors) != 256:
        sys.exit(f"quake_folder: {source}: expected 256 colors in the constant QUAKE, found {len(colors)}")
    return [tuple(map(int, color)) for color in colors]


def colormap(palette):
    """The nearest colors at 64 levels of light, from twice as bright to black."""
    lit = palette[:FIRST_FULLBRIGHT]
    nearest = {}
    indices = bytearray()
    for level in range(64):
        for color in lit:
            wanted = tuple(min(255, channel * (64 - level) // 32) for channel in color)
            if wanted not in nearest:
                r, g, b = wanted
                distances = [(c[0] - r) ** 2 + (c[1] - g) ** 2 + (c[2] - b) ** 2 for c in lit]
                nearest[wanted] = distances.index(min(distances))
            indices.append(nearest[wanted])
        indices += bytes(range(FIRST_FULLBRIGHT, 256))
    return bytes(indices)


def font():
    """A WAD2 of the only image that QuakeSpasm cannot do without: the console's characters. They are transparent."""
    size = 128 * 128
    directory = struct.pack("<3i2BH16s", 12, size, size, 68, 0, 0, b"conchars")
    return struct.pack("<4s2i", b"WAD2", 1, 12 + size) + bytes(size) + directory


def pak(files):
    """A PAK of {path: bytes}."""
    data, directory = b"", b""
    for path, file in sorted(files.items()):
        directory += struct.pack("<56s2i", path.encode(), 12 + len(data), len(file))
        data += file
    return struct.pack("<4s2i", b"PACK", 12 + len(data), len(directory)) + data + directory


def player():
    """A model of one triangle. QuakeSpasm needs progs/player.mdl even if the player has no model."""
    header = struct.pack("<4si10f8if", b"IDPO", 6, *[1] * 3, *[0] * 3, 1, *[0] * 3, 1, 8, 8, 3, 1, 1, 0, 0, 1)
    skin = struct.pack("<i", 0) + bytes(8 * 8)
    triangle = struct.pack("<9i4i", *[0] * 3, *[0, 7, 0], *[0, 0, 7], 1, 0, 1, 2)
    box = struct.pack("<8B", 0, 0, 0, 0, 1, 1, 0, 0)
    vertices = struct.pack("<12B", *[0] * 4, *[1, 0, 0, 0], *[0, 1, 0, 0])
    return header + skin + triangle + struct.pack("<i", 0) + box + struct.pack("16s", b"stand") + vertices


def room(size, entities):
    """A map (BSP version 29): the inside of a cube with edges of `size`. The origin is the center of its floor."""
    low, high = (-size // 2, -size // 2, 0), (size // 2, size // 2, size)
    corners = [[high[axis] if corner >> axis & 1 else low[axis] for axis in range(3)] for corner in range(8)]
    planes = nodes = faces = surfedges = texinfo = lighting = b""
    # Edge 0 is not used: the sign of an index is the direction.
    edges = bytes(4)
    lightmap_size = 17 * 17
    for side in range(6):
        axis, is_high = side // 2, side % 2
        planes += plane(axis, (high if is_high else low)[axis])
        # The first child is in front of the plane. Leaf 0 (-1) is solid, leaf 1 (-2) is the room.
        inside = -2 if side == 5 else side + 1
        children = (-1, inside) if is_high else (inside, -1)
        nodes += struct.pack("<i2h6h2H", side, *children, *low, *high, side, 1)
        faces += struct.pack("<2hi2h4Bi", side, is_high, side * 4, 4, side, 0, 255, 255, 255, side * lightmap_size)
        u, v = (axis + 1) % 3, (axis + 2) % 3
        # From inside, the corners are in clockwise order.
        order = [0, 1 << u, 1 << u | 1 << v, 1 << v] if is_high else [0, 1 << v, 1 << u | 1 << v, 1 << u]
        order = [corner | is_high << axis for corner in order]
        for start, end in zip(order, order[1:] + order[:1]):
            surfedges += struct.pack("<i", len(edges) // 4)
            edges += struct.pack("<2H", start, end)
        # A face covers texels 8 to 248. Light samples are 16 texels apart, from 0 to 256: 17 x 17.
        for direction in (u, v):
            scale = 240 / size
            vector = [scale if direction == a else 0 for a in range(3)]
            texinfo += struct.pack("<4f", *vector, 8 - low[direction] * scale)
        texinfo += struct.pack("<2i", 0, 0)
        # The floor lights the model. DarkPlaces turns fullbright colors white if the light is above 128.
        lighting += bytes([128 if side == 4 else 80 + 8 * side]) * lightmap_size

    clipnodes = b""
    for mins, maxs in [((-16, -16, -24), (16, 16, 32)), ((-32, -32, -24), (32, 32, 64))]:
        first = len(clipnodes) // 8
        for side in range(6):
            axis, is_high = side // 2, side % 2
            inside = EMPTY if side == 5 else first + side + 1
            children = (SOLID, inside) if is_high else (inside, SOLID)
            clipnodes += struct.pack("<i2h", len(planes) // 20, *children)
            planes += plane(axis, high[axis] - maxs[axis] if is_high else low[axis] - mins[axis])

    def leaf(contents, mins, maxs, faces):
        return struct.pack("<2i6h2H4B", contents, -1, *mins, *maxs, 0, faces, 0, 0, 0, 0)

    texture = struct.pack("<16s6I", b"wall", 64, 64, 40, 40 + 4096, 40 + 5120, 40 + 5376) + bytes([WALL_COLOR]) * 5440
    lumps = [
        entities.encode() + b"\0",
        planes,
        struct.pack("<2i", 1, 8) + texture,
        b"".join(struct.pack("<3f", *corner) for corner in corners),
        b"",  # Without visibility data, everything is visible.
        nodes,
        texinfo,
        faces,
        lighting,
        clipnodes,
        leaf(SOLID, (0, 0, 0), (0, 0, 0), 0) + leaf(EMPTY, low, high, 6),
        struct.pack("<6H", *range(6)),
        edges,
        surfedges,
        struct.pack("<9f7i", *low, *high, 0, 0, 0, 0, 0, 6, 0, 1, 0, 6),
    ]
    header, data = struct.pack("<i", 29), b""
    for lump in lumps:
        header += struct.pack("<2i", 4 + 15 * 8 + len(data), len(lump))
        data += lump + bytes(-len(lump) % 4)
    return header + data


def plane(axis, distance):
    return struct.pack("<4fi", *[float(axis == a) for a in range(3)], distance, axis)


def entity(**values):
    return "{\n" + "".join(f'"{key}" "{value}"\n' for key, value in values.items()) + "}\n"


def bounds(model):
    """The corners of the box of a model's first frame."""
    *numbers, skins, width, height, vertices, triangles = struct.unpack_from("<6f16x5i", model, 8)
    offset = 84
    for _ in range(skins):
        count, times = 1, 0
        if struct.unpack_from("<i", model, offset) != (0,):
            offset += 4
            count = times = struct.unpack_from("<i", model, offset)[0]
        offset += 4 + 4 * times + count * width * height
    offset += 12 * vertices + 16 * triangles
    is_group = struct.unpack_from("<i", model, offset) != (0,)
    box = struct.unpack_from("<3Bx3B", model, offset + (8 if is_group else 4))
    position = [numbers[i % 3] * box[i] + numbers[3 + i % 3] for i in range(6)]
    return position[:3], position[3:]


def maps(model):
    """The maps `empty` and `room`. In `room`, the model is in front of the player, and turned by 25 degrees."""
    low, high = bounds(model)
    center = [(a + b) / 2 for a, b in zip(low, high)]
    radius = math.hypot(high[0] - low[0], high[1] - low[1]) / 2
    height = high[2] - low[2]
    # The field of view is 90 degrees horizontally, with an aspect ratio of 4:3.
    distance = radius + max(radius, height / 2 / 0.75)
    size = 16 * (int(2 * distance) // 16 + 4)
    angle = 205
    cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
    # The model is on the floor, unless its origin would be below the floor: there DarkPlaces shows models black.
    x, y, z = sin * center[1] - cos * center[0], -sin * center[0] - cos * center[1], max(8, -low[2])
    empty = entity(classname="worldspawn")
    empty += entity(classname="info_player_start", origin=f"{-distance:.3f} 0 {z + center[2]:.3f}")
    shown = entity(classname="test_model", origin=f"{x:.3f} {y:.3f} {z:.3f}", angles=f"0 {angle} 0")
    return {"maps/empty.bsp": room(size, empty), "maps/room.bsp": room(size, empty + shown)}


def files(model, palette):
    """{path: bytes} of all files that the engines need, except progs.dat and the model."""
    # Hides the status bar and messages. Only DarkPlaces has `con_notify`.
    settings = "viewsize 120\ncrosshair 0\ncon_notifytime 0\ncon_notify 0\n"
    texts = {
        "quake.rc": settings + "stuffcmds\n",
        "quakespasm.cfg": 'alias after_empty "screenshot tga; map room"\n'
        'alias after_room "screenshot tga; mcache; toggleconsole; quit"\n',
        "darkplaces.cfg": 'alias after_empty "screenshot empty.tga; map room"\n'
        'alias after_room "screenshot room.tga; modellist; quit"\n',
    }
    return maps(model) | {
        "gfx/palette.lmp": bytes(channel for color in palette for channel in color),
        "gfx/colormap.lmp": colormap(palette),
        "gfx/conback.lmp": struct.pack("<2i", 320, 200) + bytes(320 * 200),
        "progs/player.mdl": player(),
        "gfx.wad": font(),
    } | {path: text.encode() for path, text in texts.items()}


def write(folder, model):
    """Writes the folders pak0 and pak1, for the archives, and qc, for the compiler, which writes pak0/progs.dat."""
    path, model = model, model.read_bytes()
    if model[:4] not in (b"IDPO", b"MD16"):
        sys.exit(f"quake_folder: {path}: expected a Quake model, which starts with IDPO or MD16, found {model[:4]}")
    written = {f"pak0/{path}": file for path, file in files(model, read_palette()).items()}
    written["pak1/progs/test.mdl"] = model
    sources = {"progs.src": "../pak0/progs.dat\nsystem.qc\ngame.qc\n", "system.qc": SYSTEM, "game.qc": GAME}
    written |= {f"qc/{path}": text.encode() for path, text in sources.items()}
    for path, file in written.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(file)


def pack(folder, archive):
    paths = [path for path in folder.rglob("*") if path.is_file()]
    archive.write_bytes(pak({path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}))


def read_tga(path):
    """Width, height and rows of RGB, from the top, of an uncompressed TGA of 24 bits."""
    file = path.read_bytes()
    id_length, _, kind, width, height, depth, descriptor = struct.unpack_from("<3B9x2H2B", file)
    if (kind, depth) != (2, 24):
        sys.exit(f"quake_folder: {path}: expected an uncompressed TGA of 24 bits, found type {kind} of {depth} bits")
    rows = []
    for y in range(height):
        row = bytearray(file[18 + id_length + y * width * 3 :][: width * 3])
        row[0::3], row[2::3] = row[2::3], row[0::3]
        rows.append(bytes(row))
    return width, height, rows if descriptor & 0x20 else rows[::-1]


def write_png(path, width, height, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    header = struct.pack(">2I5B", width, height, 8, 2, 0, 0, 0)
    data = zlib.compress(b"".join(b"\0" + row for row in rows))
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", data) + chunk(b"IEND", b""))


def compare(empty, room, png):
    """Writes `room` as PNG. Fails if too few pixels in its middle differ from `empty`, or all that differ are black."""
    width, height, rows = read_tga(room)
    write_png(png, width, height, rows)
    empty_width, empty_height, empty_rows = read_tga(empty)
    if (width, height) != (empty_width, empty_height):
        sys.exit(f"quake_folder: the screenshots differ in size: {width} x {height}, {empty_width} x {empty_height}")
    different = 0
    xs, ys = range(width // 3, width * 2 // 3), range(height // 3, height * 2 // 3)
    for y in ys:
        for x in xs:
            pixel, empty_pixel = rows[y][x * 3 : x * 3 + 3], empty_rows[y][x * 3 : x * 3 + 3]
            different += max(pixel) > 16 and any(abs(a - b) > 16 for a, b in zip(pixel, empty_pixel))
    percent = 100 * different / (len(xs) * len(ys))
    print(f"{percent:.0f} % of the pixels in the middle show the model")
    if percent < 1:
        sys.exit(f"quake_folder: {png}: expected a lit model in at least 1 % of the pixels in the middle")


COMMANDS = {"write": write, "pack": pack, "compare": compare}
COMMANDS[sys.argv[1]](*map(pathlib.Path, sys.argv[2:]))
