// SPDX-License-Identifier: Apache-2.0
// Fields of every statement of a scene: they drive reading, checking, writing and the reference.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/number.h"
#include "scene/scene.h"
#include "stiction/extend/base.h"

#define AT(type, member) (uint32_t) offsetof(type, member)
#define COUNT_OF(array)  (int32_t)(sizeof(array) / sizeof(array)[0])
#define LARGE            1e300

// one row: name, type, member, range, unit, sentence
#define ROW(s, name, kind, low, high, unit, text)                                                  \
    {                                                                                              \
#name, STIC_ENTRY_##kind, AT(s, name), 0, low, high, unit, text, NULL                      \
    }
#define ROW_AT(s, word, member, kind, low, high, unit, text)                                       \
    {                                                                                              \
        word, STIC_ENTRY_##kind, AT(s, member), 0, low, high, unit, text, NULL                     \
    }
#define PICK_AT(s, word, member, names, text)                                                      \
    {                                                                                              \
        word, STIC_ENTRY_PICK, AT(s, member), 0, 0, 0, "-", text, names                            \
    }
#define ROW_PICK(s, name, names, text)                                                             \
    {                                                                                              \
#name, STIC_ENTRY_PICK, AT(s, name), 0, 0, 0, "-", text, names                             \
    }
#define ROW_LIST(s, word, member, counter, kind, unit, text)                                       \
    {                                                                                              \
        word, STIC_ENTRY_##kind, AT(s, member), AT(s, counter), -LARGE, LARGE, unit, text, NULL    \
    }

static const char* const body_kinds[] = {"rigid",        "fixed",   "prescribed", "point",
                                         "pseudo_rigid", "elastic", NULL};
static const char* const stored_energies[] = {"linear", "kirchhoff", "neo_hooke", "corotated",
                                              NULL};
static const char* const cell_kinds[] = {"tet4", "tet10", "hex8", NULL};
static const char* const frictions[] = {"coulomb", "anisotropic", "rolling", "contensou",
                                        "tresca",  "none",        NULL};
static const char* const contact_rules[] = {"manifold", "reduced", "centroid", NULL};
static const char* const intersections[] = {"clipping", "polarity", NULL};
static const char* const searches[] = {"tree",         "hash3d",       "sweep-h2d",
                                       "sweep-h2dpst", "sweep-h1dpst", "sweep-pst2d",
                                       "hybrid",       "brute",        NULL};
static const char* const mixings[] = {"geometric", "mean", "least", "largest", NULL};
static const char* const policies[] = {"stop", "retry", "halve", "continue", "adapt", NULL};
static const char* const accuracies[] = {"tolerance", "preview", "standard", "strict", NULL};
static const char* const reductions[] = {"last", "least", "most", NULL};
static const char* const joint_kinds[] = {"point", "line",  "plane",   "hinge", "slider", "weld",
                                          "rod",   "axial", "turning", "span",  NULL};
static const char* const quantities[] = {
#define QUANTITY_WORD(name, word, text) word,
    STIC_QUANTITY_LIST(QUANTITY_WORD)
#undef QUANTITY_WORD
        NULL};
static const char* const quantity_texts[] = {
#define QUANTITY_TEXT(name, word, text) text,
    STIC_QUANTITY_LIST(QUANTITY_TEXT)
#undef QUANTITY_TEXT
};

const char* stic_quantity_name(SticQuantity quantity)
{
    return (unsigned)quantity < STIC_QUANTITY_COUNT ? quantities[quantity] : "unknown";
}

const char* stic_quantity_text(SticQuantity quantity)
{
    return (unsigned)quantity < STIC_QUANTITY_COUNT ? quantity_texts[quantity] : "unknown";
}

bool stic_quantity_is_vector(SticQuantity quantity)
{
    return quantity <= STIC_QUANTITY_AXIS_Z ||
           (quantity >= STIC_QUANTITY_STRESS_X && quantity <= STIC_QUANTITY_STRESS_Z) ||
           quantity == STIC_QUANTITY_CONTACT_FORCE || quantity == STIC_QUANTITY_LOAD;
}

/* ---- materials and bodies ---- */

// fields of a surface, of a material or of two
#define SURFACE_ROWS(type)                                                                         \
    ROW_AT(type, "friction", surface.friction, REAL, 0, LARGE, "-", "Coulomb's coefficient"),      \
        ROW_AT(type, "restitution", surface.restitution, PAIR, 0, 1, "-",                          \
               "Newton's coefficients, normal and tangential"),                                    \
        PICK_AT(type, "law", surface.law, frictions, "law of friction"),                           \
        ROW_AT(type, "across", surface.across, REAL, 0, LARGE, "-",                                \
               "anisotropic: coefficient across the grain"),                                       \
        ROW_AT(type, "grain", surface.grain, VEC3, -LARGE, LARGE, "-",                             \
               "anisotropic: direction of friction in the frame of the body"),                     \
        ROW_AT(type, "rolling", surface.rolling, REAL, 0, LARGE, "m", "rolling: length"),          \
        ROW_AT(type, "patch", surface.patch, REAL, 0, LARGE, "m",                                  \
               "contensou: radius of the patch"),                                                  \
        ROW_AT(type, "shear", surface.shear, REAL, 0, LARGE, "Pa", "tresca: strength"),            \
        ROW_AT(type, "cohesion", surface.cohesion, REAL, 0, LARGE, "Pa",                           \
               "tensile strength of what touches at the start")

static const SticEntry material[] = {
    ROW(SticSceneMaterial, name, NAME, 0, 0, "-", "unique name"),
    ROW(SticSceneMaterial, density, POSITIVE, 0, LARGE, "kg/m3", "density"),
    ROW(SticSceneMaterial, colour, COLOUR, 0, 0, "-", "in pictures, of bodies without one"),
    SURFACE_ROWS(SticSceneMaterial),
};
const SticEntryTable stic_entries_material = {"material", NULL,     "a material",
                                              NULL,       material, COUNT_OF(material)};

static const SticEntry surface[] = {
    ROW_AT(SticSceneSurface, "between", material, MATERIALS, 0, 0, "-", "names of two materials"),
    SURFACE_ROWS(SticSceneSurface),
};
const SticEntryTable stic_entries_surface = {"surface", NULL,    "contact of two materials",
                                             "between", surface, COUNT_OF(surface)};

static const SticEntry part[] = {
    ROW(SticScenePart, shape, COUNT, 1, INT32_MAX, "-", "number of a shape, as shape.… gives it"),
    ROW(SticScenePart, position, VEC3, -LARGE, LARGE, "m", "origin of the shape's frame"),
    ROW(SticScenePart, orientation, TURN, 0, 0, "-", "how the shape's frame is turned"),
    ROW(SticScenePart, material, MATERIAL, 0, 0, "-", "name of a material"),
};
const SticEntryTable stic_entries_part = {"shape", NULL, "a shape as part of a body",
                                          NULL,    part, COUNT_OF(part)};

static const SticEntry body[] = {
    ROW(SticSceneBody, name, NAME, 0, 0, "-", "unique name"),
    ROW_PICK(SticSceneBody, kind, body_kinds, "what moves it"),
    ROW(SticSceneBody, position, VEC3, -LARGE, LARGE, "m", "origin of the body's frame"),
    ROW(SticSceneBody, orientation, TURN, 0, 0, "-", "from body to world axes"),
    ROW(SticSceneBody, velocity, VEC3, -LARGE, LARGE, "m/s", "of the centre of mass"),
    ROW(SticSceneBody, angular_velocity, VEC3, -LARGE, LARGE, "rad/s", "in world axes"),
    ROW(SticSceneBody, mass, REAL, 0, LARGE, "kg", "0: from the shapes and their densities"),
    ROW(SticSceneBody, centre, VEC3, -LARGE, LARGE, "m",
        "centre of mass in the body's frame; used with inertia"),
    ROW(SticSceneBody, inertia, MAT3, -LARGE, LARGE, "kg m2",
        "about the centre of mass in body axes, three moments or nine entries; 0: from the shapes"),
    ROW(SticSceneBody, force, LOAD, -LARGE, LARGE, "N", "at the centre of mass in world axes"),
    ROW(SticSceneBody, torque, LOAD, -LARGE, LARGE, "N m", "in world axes"),
    ROW(SticSceneBody, displacement, PATH, -LARGE, LARGE, "m",
        "prescribed: added to position + velocity t"),
    ROW(SticSceneBody, axis, VEC3, -LARGE, LARGE, "-",
        "prescribed: axis through the body's origin, in world axes"),
    ROW(SticSceneBody, angle, TURNING, -LARGE, LARGE, "rad", "prescribed: turn about the axis"),
    ROW_AT(SticSceneBody, "young", elastic.young, REAL, 0, LARGE, "Pa",
           "pseudo-rigid and elastic: Young's modulus"),
    ROW_AT(SticSceneBody, "poisson", elastic.poisson, REAL, -1, 0.5, "-",
           "pseudo-rigid and elastic: Poisson's ratio"),
    ROW(SticSceneBody, volume, REAL, 0, LARGE, "m3", "pseudo-rigid: 0: from the shapes"),
    PICK_AT(SticSceneBody, "energy", stored, stored_energies, "elastic: stored energy"),
    ROW_PICK(SticSceneBody, cell, cell_kinds, "elastic: kind of its cells"),
    ROW(SticSceneBody, cells, VEC3, 0, 1e6, "-", "elastic: cells along the edges of its box"),
    ROW_LIST(SticSceneBody, "hold", hold, hold_count, POINTS, "m",
             "elastic: two opposite corners of a box in the body's frame whose nodes are held, and "
             "of more boxes"),
    ROW(SticSceneBody, material, MATERIAL, 0, 0, "-", "of shapes without one"),
    ROW(SticSceneBody, colour, COLOUR, 0, 0, "-", "in pictures; else that of its material"),
    ROW(SticSceneBody, opacity, REAL, 0, 1, "-", "in pictures: 0 is clear, 1 solid"),
    ROW(SticSceneBody, visible, FLAG, 0, 0, "-",
        "false: hidden in pictures until the viewer shows all bodies"),
    ROW_LIST(SticSceneBody, "shape", part, part_count, PARTS, "-", "a shape, or a list of shapes"),
};
const SticEntryTable stic_entries_body = {"body", NULL, "a body", NULL, body, COUNT_OF(body)};

/* ---- shapes ---- */

static const SticEntry sphere[] = {
    ROW(SticSceneShape, radius, POSITIVE, 0, LARGE, "m", "radius"),
};
static const SticEntry box[] = {
    ROW(SticSceneShape, size, VEC3, 0, LARGE, "m", "edge lengths"),
};
static const SticEntry ellipsoid[] = {
    ROW_AT(SticSceneShape, "semi_axes", size, VEC3, 0, LARGE, "m", "semi-axes"),
};
static const SticEntry capsule[] = {
    ROW(SticSceneShape, radius, POSITIVE, 0, LARGE, "m", "radius"),
    ROW(SticSceneShape, length, REAL, 0, LARGE, "m", "of its segment, along z"),
};
static const SticEntry cylinder[] = {
    ROW(SticSceneShape, radius, POSITIVE, 0, LARGE, "m", "radius"),
    ROW_AT(SticSceneShape, "height", length, POSITIVE, 0, LARGE, "m", "height, along z"),
};
static const SticEntry half_space[] = {
    ROW(SticSceneShape, normal, VEC3, -LARGE, LARGE, "-", "outward normal, any length but 0"),
    ROW(SticSceneShape, offset, REAL, -LARGE, LARGE, "m", "distance of the plane from the origin"),
};
static const SticEntry polyhedron[] = {
    ROW_LIST(SticSceneShape, "points", vertex, vertex_count, POINTS, "m", "vertices"),
    ROW_LIST(SticSceneShape, "faces", face_vertex, face_count, FACES, "-",
             "vertices of each face, from 1, counter-clockwise seen from outside; none: the hull "
             "of the points"),
    ROW_AT(SticSceneShape, "file", vertex, FILE, 0, 0, "-",
           "an .stl, .obj or .msh file whose vertices' hull is taken"),
};
static const SticEntry mesh[] = {
    ROW_LIST(SticSceneShape, "points", vertex, vertex_count, POINTS, "m", "vertices"),
    ROW_LIST(SticSceneShape, "faces", face_vertex, face_count, FACES, "-",
             "vertices of each face, from 1, counter-clockwise seen from outside"),
    ROW_AT(SticSceneShape, "file", vertex, FILE, 0, 0, "-", "an .stl, .obj or .msh file"),
};
static const SticEntry compound[] = {
    ROW_LIST(SticSceneShape, "shape", part, part_count, PARTS, "-", "a list of convex shapes"),
    ROW_LIST(SticSceneShape, "points", vertex, vertex_count, POINTS, "m", "nodes of elements"),
    ROW_LIST(SticSceneShape, "elements", element_node, element_count, ELEMENTS, "-",
             "nodes of each convex element, from 1: 4, 5, 6 or 8 in the order of Gmsh"),
    ROW_AT(SticSceneShape, "file", vertex, FILE, 0, 0, "-",
           "a .msh file with volume elements, which are the convex pieces"),
};
static const SticEntry height_field[] = {
    ROW(SticSceneShape, columns, COUNT, 2, 1 << 20, "-", "points along x"),
    ROW(SticSceneShape, dx, POSITIVE, 0, LARGE, "m", "distance of points along x"),
    ROW(SticSceneShape, dy, POSITIVE, 0, LARGE, "m", "distance of points along y"),
    ROW_LIST(SticSceneShape, "heights", height, height_count, REALS, "m", "row by row"),
};

const SticEntryTable stic_entries_shape[STIC_SHAPE_KIND_COUNT] = {
    [STIC_SHAPE_SPHERE] = {"shape", "sphere", "ball about the origin", NULL, sphere,
                           COUNT_OF(sphere)},
    [STIC_SHAPE_BOX] = {"shape", "box", "box about the origin", NULL, box, COUNT_OF(box)},
    [STIC_SHAPE_CAPSULE] = {"shape", "capsule", "points near a segment along z", NULL, capsule,
                            COUNT_OF(capsule)},
    [STIC_SHAPE_CYLINDER] = {"shape", "cylinder", "cylinder along z", NULL, cylinder,
                             COUNT_OF(cylinder)},
    [STIC_SHAPE_ELLIPSOID] = {"shape", "ellipsoid", "ellipsoid about the origin", NULL, ellipsoid,
                              COUNT_OF(ellipsoid)},
    [STIC_SHAPE_POLYHEDRON] = {"shape", "polyhedron", "convex polyhedron, hull of points", "points",
                               polyhedron, COUNT_OF(polyhedron)},
    [STIC_SHAPE_COMPOUND] = {"shape", "compound", "union of convex shapes or elements", NULL,
                             compound, COUNT_OF(compound)},
    [STIC_SHAPE_HALF_SPACE] = {"shape", "half_space", "everything below a plane", NULL, half_space,
                               COUNT_OF(half_space)},
    [STIC_SHAPE_MESH] = {"shape", "mesh", "triangles", NULL, mesh, COUNT_OF(mesh)},
    [STIC_SHAPE_HEIGHT_FIELD] = {"shape", "height_field", "heights over a grid", NULL, height_field,
                                 COUNT_OF(height_field)},
};

/* ---- time functions ---- */

static const SticEntry wave[] = {
    ROW(SticSignal, offset, REAL, -LARGE, LARGE, "*", "constant part"),
    ROW(SticSignal, amplitude, REAL, -LARGE, LARGE, "*", "factor of the sine"),
    ROW(SticSignal, frequency, REAL, -LARGE, LARGE, "rad/s", "angular frequency"),
    ROW(SticSignal, phase, REAL, -LARGE, LARGE, "rad", "phase at t = 0"),
};
static const SticEntry table[] = {
    ROW_LIST(SticSignal, "time", time, count, REALS, "s", "ascending times"),
    ROW_LIST(SticSignal, "value", value, count, REALS, "*", "values at these times"),
    ROW(SticSignal, scale, REAL, -LARGE, LARGE, "-", "factor of the values"),
    ROW(SticSignal, until, REAL, 0, LARGE, "s",
        "no run may go on beyond this time; 0: the last value stays"),
    ROW_AT(SticSignal, "file", time, FILE, 0, 0, "-",
           "a text file with columns; lines that do not begin with a number are left out"),
    ROW_AT(SticSignal, "time_column", count, COUNT, 1, 1000, "-", "column of the times [1]"),
    ROW_AT(SticSignal, "value_column", count, COUNT, 1, 1000, "-", "column of the values [2]"),
};
static const SticEntry steps[] = {
    ROW(SticSignal, interval, POSITIVE, 0, LARGE, "s", "length of an interval"),
    ROW_LIST(SticSignal, "value", value, count, REALS, "*", "value of each interval"),
};
static const SticEntry curve[] = {
    ROW(SticSignal, interval, POSITIVE, 0, LARGE, "s",
        "time between two values, the first of which is at t = 0"),
    ROW_LIST(SticSignal, "time", time, count, REALS, "s", "ascending times instead of an interval"),
    ROW_LIST(SticSignal, "value", value, count, REALS, "*", "values"),
};
const SticEntryTable stic_entries_signal[STIC_SIGNAL_KIND_COUNT] = {
    [STIC_SIGNAL_WAVE] = {"signal", "wave", "offset + amplitude sin(frequency t + phase)", NULL,
                          wave, COUNT_OF(wave)},
    [STIC_SIGNAL_TABLE] = {"signal", "table", "straight lines between points", NULL, table,
                           COUNT_OF(table)},
    [STIC_SIGNAL_STEPS] = {"signal", "steps", "one value per interval", NULL, steps,
                           COUNT_OF(steps)},
    [STIC_SIGNAL_CURVE] = {"signal", "curve", "smooth curve through values", NULL, curve,
                           COUNT_OF(curve)},
};

/* ---- joints ---- */

static const SticEntry joint[] = {
    ROW(SticSceneJoint, name, NAME, 0, 0, "-", "unique name"),
    ROW_PICK(SticSceneJoint, kind, joint_kinds, "what it leaves free"),
    ROW_AT(SticSceneJoint, "a", body[0], BODY, 0, 0, "-", "first body, or \"ground\""),
    ROW_AT(SticSceneJoint, "b", body[1], BODY, 0, 0, "-", "second body, or \"ground\""),
    ROW(SticSceneJoint, point, VEC3, -LARGE, LARGE, "m", "at the start, in world axes"),
    ROW(SticSceneJoint, axis, VEC3, -LARGE, LARGE, "-", "at the start, in world axes"),
    ROW_AT(SticSceneJoint, "to", end, VEC3, -LARGE, LARGE, "m",
           "rod and span: second point, on b, in world axes"),
    ROW(SticSceneJoint, length, REAL, 0, LARGE, "m", "of a rod; 0: as at the start"),
    ROW(SticSceneJoint, limit, RANGE, 0, 0, "m or rad",
        "ends of the coordinate; angles count turns"),
    ROW(SticSceneJoint, restitution, REAL, 0, 1, "-", "at the limits"),
    ROW(SticSceneJoint, friction, REAL, 0, LARGE, "N or N m", "largest dry friction"),
    ROW(SticSceneJoint, driven, FLAG, 0, 1, "-", "whether the drive acts"),
    ROW(SticSceneJoint, speed, TURNING, -LARGE, LARGE, "m/s or rad/s", "of the drive"),
    ROW_AT(SticSceneJoint, "acceleration", drive.acceleration, REAL, -LARGE, LARGE,
           "m/s2 or rad/s2", "of the drive"),
    ROW_AT(SticSceneJoint, "amplitude", drive.amplitude, REAL, -LARGE, LARGE, "m/s or rad/s",
           "of the drive's sine"),
    ROW_AT(SticSceneJoint, "frequency", drive.frequency, REAL, -LARGE, LARGE, "rad/s",
           "of the drive's sine"),
    ROW_AT(SticSceneJoint, "phase", drive.phase, REAL, -LARGE, LARGE, "rad", "of the drive's sine"),
    ROW(SticSceneJoint, drive_force, REAL, 0, HUGE_VAL, "N or N m", "largest of the drive"),
    ROW(SticSceneJoint, force, TURNING, -LARGE, LARGE, "N or N m",
        "of an actuator on the coordinate"),
    ROW_AT(SticSceneJoint, "stiffness", spring.stiffness, REAL, 0, LARGE, "N/m or N m/rad",
           "of a spring on the coordinate; angles count turns"),
    ROW_AT(SticSceneJoint, "rest", spring.rest, REAL, -LARGE, LARGE, "m or rad", "of the spring"),
    ROW_AT(SticSceneJoint, "damping", spring.damping, REAL, 0, LARGE, "N s/m or N m s/rad",
           "of a damper on the coordinate"),
    ROW(SticSceneJoint, contacts, TOUCH, 0, 1, "-",
        "whether the two bodies can touch; by default rods, axial, turning and span joints let "
        "them, others do not"),
};
const SticEntryTable stic_entries_joint = {"joint", NULL, "a joint", NULL, joint, COUNT_OF(joint)};

/* ---- loads ---- */

static const SticEntry load[] = {
    ROW(SticScenePoint, body, BODY, 0, 0, "-", "what it acts on"),
    ROW(SticScenePoint, point, VEC3, -LARGE, LARGE, "m",
        "where a force acts, at the start in world axes; it moves with the body"),
    ROW(SticScenePoint, force, LOAD, -LARGE, LARGE, "N", "at the point, in world axes"),
    ROW(SticScenePoint, face, VEC3, -LARGE, LARGE, "-",
        "outward normal, at the start in world axes, of the plane faces that a traction acts on"),
    ROW(SticScenePoint, traction, LOAD, -LARGE, LARGE, "Pa",
        "on these faces, in world axes, of the undeformed area"),
};
const SticEntryTable stic_entries_load = {
    "load", NULL, "a force at a point or a traction on faces of a body",
    NULL,   load, COUNT_OF(load)};

/* ---- run, output, measured numbers ---- */

static const char* const contact_laws[] = {"gap", "velocity", NULL};
static const SticEntry run[] = {
    ROW(SticSceneRun, step, POSITIVE, 0, LARGE, "s", "length of a step"),
    ROW_AT(SticSceneRun, "duration", until, POSITIVE, 0, LARGE, "s", "end"),
    ROW_AT(SticSceneRun, "short_duration", short_until, REAL, 0, LARGE, "s",
           "end of the short version; 0: the same"),
    ROW(SticSceneRun, resolution, REAL, 0, LARGE, "s",
        "what functions of t do in a shorter time may be missed by event and relaxed; 0: a 128th "
        "of "
        "the step"),
    ROW_PICK(SticSceneRun, accuracy, accuracies,
             "what the run promises; a tolerance of the solver decides instead"),
    ROW_PICK(SticSceneRun, policy, policies, "on steps that were not solved"),
    ROW(SticSceneRun, max_halvings, COUNT, 0, 20, "-", "of the policies halve and adapt"),
    ROW(SticSceneRun, energy_alarm, OPTIONAL, 0, LARGE, "-",
        "share of the energy exchanged that may come or go by the error of integration alone "
        "before "
        "the run ends with exit code 1; 0 or false: any"),
    ROW(SticSceneRun, sleep, COUNT, 0, 1000000000, "-",
        "steps at rest after which bodies that touch each other are left alone until something "
        "happens to them; 0: never; not with strict"),
    ROW_PICK(SticSceneRun, law, contact_laws,
             "of contacts in moreau, koziara and theta: gap takes the gap and the motion of a "
             "contact into account, velocity is that of the papers"),
    ROW(SticSceneRun, projection, FLAG, 0, 1, "-",
        "close joints and take back overlaps after each step, by positions alone"),
    ROW(SticSceneRun, correction, REAL, -1, 1, "-",
        "position correction: part of what overlaps beyond the allowance, taken back after each "
        "step; 0: none; -1: 0.2 with projection, else none"),
    ROW(SticSceneRun, allowance, REAL, 0, LARGE, "m",
        "overlap that position correction leaves in any case"),
    ROW(SticSceneRun, project, FLAG, 0, 1, "-", "make the start velocities fit the joints"),
};
const SticEntryTable stic_entries_run = {"run", NULL, "how far and how", NULL, run, COUNT_OF(run)};

static const char* const precisions[] = {"double", "single", NULL};
static const SticEntry output[] = {
    ROW(SticSceneOutput, every, COUNT, 1, 1e9, "steps", "steps per stored frame"),
    ROW(SticSceneOutput, interval, REAL, 0, 1e30, "s",
        "simulated time between stored frames instead of every; 0: not used"),
    ROW_PICK(SticSceneOutput, precision, precisions, "of motion and joints"),
    ROW_PICK(SticSceneOutput, contact_precision, precisions, "of contacts and pairs"),
    ROW(SticSceneOutput, contacts, FLAG, 0, 1, "-", "store contacts and reactions"),
    ROW(SticSceneOutput, pairs, FLAG, 0, 1, "-", "store the resultant force of pairs of bodies"),
    ROW(SticSceneOutput, joints, FLAG, 0, 1, "-", "store joints"),
    ROW(SticSceneOutput, solver, FLAG, 0, 1, "-", "store solver records"),
    ROW(SticSceneOutput, least_norm, FLAG, 0, 1, "-",
        "store the contact forces of least norm among those of the same motion"),
    ROW(SticSceneOutput, xdmf, FLAG, 0, 1, "-", "write an XDMF file for ParaView at the end"),
    ROW(SticSceneOutput, compression, COUNT, 0, 9, "-", "level of deflate; 0: none"),
    ROW(SticSceneOutput, flush, REAL, 0, 1e9, "s", "wall clock between flushes; 0: every frame"),
    ROW(SticSceneOutput, snapshot_every, COUNT, 0, 1e9, "steps",
        "steps per snapshot; 0: by the clock only"),
    ROW(SticSceneOutput, snapshot, REAL, 0, 1e9, "s",
        "wall clock between snapshots; 0: not by the clock"),
};
const SticEntryTable stic_entries_output = {"output", NULL,   "what a result file holds",
                                            NULL,     output, COUNT_OF(output)};

static const SticEntry mixing[] = {
    {"friction", STIC_ENTRY_PICK, AT(SticSceneDef, friction_mixing), 0, 0, 0, "-",
     "friction of two materials", mixings},
    {"restitution", STIC_ENTRY_PICK, AT(SticSceneDef, restitution_mixing), 0, 0, 0, "-",
     "restitution of two materials", mixings},
    {"cohesion", STIC_ENTRY_PICK, AT(SticSceneDef, cohesion_mixing), 0, 0, 0, "-",
     "cohesion of two materials", mixings},
};
const SticEntryTable stic_entries_mixing = {"mixing", NULL,   "how two materials give a surface",
                                            NULL,     mixing, COUNT_OF(mixing)};

static const SticEntry contacts[] = {
    {"rule", STIC_ENTRY_PICK, AT(SticSceneDef, contact_rule), 0, 0, 0, "-",
     "whole patches, patches without points that add little, or one point each", contact_rules},
    {"intersection", STIC_ENTRY_PICK, AT(SticSceneDef, intersection), 0, 0, 0, "-",
     "how the rule centroid intersects elements; the contacts are the same", intersections},
    {"search", STIC_ENTRY_PICK, AT(SticSceneDef, search), 0, 0, 0, "-",
     "how boxes that overlap are found; the pairs are the same", searches},
};
const SticEntryTable stic_entries_contacts = {"contacts", NULL,     "which contacts faces get",
                                              NULL,       contacts, COUNT_OF(contacts)};

static const SticEntry history[] = {
    ROW(SticSceneHistory, name, NAME, 0, 0, "-", "heading of the column"),
    ROW_PICK(SticSceneHistory, quantity, quantities, "what is measured"),
    ROW(SticSceneHistory, body, BODY, 0, 0, "-", "of which body"),
    ROW(SticSceneHistory, other, BODY, 0, 0, "-", "contact_force: with which body; all"),
    ROW(SticSceneHistory, joint, JOINT, 0, 0, "-", "of which joint"),
    ROW(SticSceneHistory, component, COMPONENT, 0, 0, "-",
        "x, y, z or length; of a model a number from 1"),
};
const SticEntryTable stic_entries_history = {"history", NULL,    "a column of the histories",
                                             NULL,      history, COUNT_OF(history)};

static const SticEntry check[] = {
    ROW_AT(SticSceneCheck, "name", what.name, NAME, 0, 0, "-", "what the number is"),
    {"quantity", STIC_ENTRY_PICK, AT(SticSceneCheck, what.quantity), 0, 0, 0, "-",
     "what is measured", quantities},
    ROW_AT(SticSceneCheck, "body", what.body, BODY, 0, 0, "-", "of which body"),
    ROW_AT(SticSceneCheck, "other", what.other, BODY, 0, 0, "-",
           "contact_force: with which body; all"),
    ROW_AT(SticSceneCheck, "joint", what.joint, JOINT, 0, 0, "-", "of which joint"),
    ROW_AT(SticSceneCheck, "component", what.component, COMPONENT, 0, 0, "-",
           "x, y, z or length; of a model a number from 1"),
    ROW_PICK(SticSceneCheck, reduction, reductions, "the last, least or most until then"),
    ROW(SticSceneCheck, at, REAL, 0, LARGE, "s", "when; 0: at the end"),
    ROW(SticSceneCheck, value, REAL, -LARGE, LARGE, "*", "expected"),
    ROW(SticSceneCheck, tolerance, REAL, 0, LARGE, "*", "accepted deviation"),
    ROW(SticSceneCheck, source, NAME, 0, 0, "-", "where the value comes from"),
};
const SticEntryTable stic_entries_check = {"check", NULL,  "a reference value",
                                           NULL,    check, COUNT_OF(check)};

const SticEntry* stic_entry_find(const SticEntryTable* entries, const char* name)
{
    for (int32_t i = 0; i < entries->count; ++i)
        if (strcmp(entries->entry[i].name, name) == 0)
            return &entries->entry[i];
    return NULL;
}

// all tables, one after the other
static const SticEntryTable* table_number(int32_t k)
{
    static const SticEntryTable* const plain[] = {
        &stic_entries_body,  &stic_entries_part,   &stic_entries_material, &stic_entries_surface,
        &stic_entries_joint, &stic_entries_load,   &stic_entries_mixing,   &stic_entries_contacts,
        &stic_entries_run,   &stic_entries_output, &stic_entries_history,  &stic_entries_check};
    const int32_t count = COUNT_OF(plain);
    if (k < count)
        return plain[k];
    if (k < count + STIC_SHAPE_KIND_COUNT)
        return &stic_entries_shape[k - count];
    if (k < count + STIC_SHAPE_KIND_COUNT + STIC_SIGNAL_KIND_COUNT)
        return &stic_entries_signal[k - count - STIC_SHAPE_KIND_COUNT];
    return NULL;
}

// what an entry with one value is where a scene does not state it; empty for others
static void show_default(const SticEntryTable* entries, const SticEntry* entry, char text[64])
{
    const SticSceneDef def = stic_scene_default_def();
    const SticStandards standard = stic_scene_standards();
    const void* from = entries == &stic_entries_run        ? (const void*)&def.run
                       : entries == &stic_entries_output   ? (const void*)&def.output
                       : entries == &stic_entries_material ? (const void*)&standard.material
                                                           : NULL;
    text[0] = '\0';
    if (from == NULL)
        return;
    const void* member = (const unsigned char*)from + entry->offset;
    switch ((SticEntryType)entry->type) {
    case STIC_ENTRY_REAL:
    case STIC_ENTRY_POSITIVE:
    case STIC_ENTRY_OPTIONAL:
        stic_number_format(*(const double*)member, text, 64);
        break;
    case STIC_ENTRY_COUNT:
        snprintf(text, 64, "%d", *(const int32_t*)member);
        break;
    case STIC_ENTRY_FLAG:
        snprintf(text, 64, "%s", *(const bool*)member ? "true" : "false");
        break;
    case STIC_ENTRY_PICK:
        snprintf(text, 64, "%s", entry->choices[*(const int32_t*)member]);
        break;
    default:
        break;
    }
}

bool stic_scene_field(int32_t i, SticSceneField* field)
{
    STIC_ASSERT(field != NULL);
    for (int32_t k = 0; table_number(k) != NULL; ++k) {
        const SticEntryTable* entries = table_number(k);
        if (i >= entries->count) {
            i -= entries->count;
            continue;
        }
        const SticEntry* entry = &entries->entry[i];
        char room[320], standard[64];
        *field = (SticSceneField){.statement = entries->name,
                                  .kind = entries->kind,
                                  .name = entry->name,
                                  .unit = entry->unit,
                                  .text = entry->text};
        show_default(entries, entry, standard);
        snprintf(field->accepted, sizeof field->accepted, "%s%s%s",
                 stic_entry_accepted(entry, room), standard[0] != '\0' ? "; default " : "",
                 standard);
        return true;
    }
    return false;
}
