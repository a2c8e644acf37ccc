// SPDX-License-Identifier: Apache-2.0
// Times of the narrow phase next to other libraries where they are installed, as Markdown tables.
//
//   bench_narrow [pairs=8000] [rounds=2] [repeats=10] [only=0 ... 5] [peers=1]
//
// Pairs of unit-sized bodies with random rotations, brought along the line of their centres to an
// overlap of 1 % of their size, or to a gap of the same length with a search distance of 2 %, so
// that these pairs need their features too; boxes at rest have parallel faces that overlap by 0.1
// %. The libraries take turns, round by round, and all scenes are gone through `repeats` times: a
// figure is the least processor time of a round in ns per pair, with the mean number of contacts.
// Ours are whole patches in double precision with frozen features and areas; peers say what they
// give. Peers that give nothing for pairs that are apart only have to find that out.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collide/collide.h"
#include "collide/intersect.h"
#include "math/math.h"
#include "peers/narrow_peer.h"
#include "shape/shape.h"
#include "stiction/extend/base.h"

enum { BOXES, HULLS, SPHERE_MESH, BOXES_AT_REST };
enum { SHAPES = 16, MESH_SIDE = 64, MOST_PEERS = 3 };

typedef struct SceneKind {
    const char* name;
    int bodies;
    double gap;
} SceneKind;

static const SceneKind kinds[] = {
    {"box-box, overlap of 1 %", BOXES, -0.01},
    {"box-box, gap of 1 % within reach", BOXES, 0.01},
    {"box-box, at rest on faces", BOXES_AT_REST, -0.001},
    {"hull-hull, 32 vertices, overlap of 1 %", HULLS, -0.01},
    {"hull-hull, 32 vertices, gap of 1 % within reach", HULLS, 0.01},
    {"sphere and mesh of 8192 triangles", SPHERE_MESH, -0.01},
};
enum { SCENES = sizeof kinds / sizeof kinds[0] };

typedef struct Scene {
    SticShape* shape[2][SHAPES];
    int32_t pairs;
    int32_t (*index)[2];
    SticPose (*pose)[2];
    double reach;
} Scene;

static const NarrowPeer* const peers[MOST_PEERS + 1] = {
#ifdef STIC_PEER_BULLET_NARROW
    &narrow_peer_bullet,
#endif
#ifdef STIC_PEER_LIBCCD
    &narrow_peer_libccd,
#endif
#ifdef STIC_PEER_FCL
    &narrow_peer_fcl,
#endif
    NULL};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void check(SticStatus status)
{
    if (status != STIC_OK) {
        fprintf(stderr, "bench_narrow: %s\n", stic_status_text(status));
        exit(1);
    }
}

/* ---- bodies ---- */

static SticVec3 unit(SticRandom* random)
{
    for (;;) {
        const SticVec3 x =
            stic_vec3(stic_random_range(random, -1, 1), stic_random_range(random, -1, 1),
                      stic_random_range(random, -1, 1));
        const double r = stic_vec3_norm(x);
        if (r > 0.1 && r < 1.0)
            return stic_vec3_scale(1.0 / r, x);
    }
}

static SticShape* make_hull(SticRandom* random, int32_t count)
{
    const SticContext context = stic_context_default();
    SticVec3 point[512];
    for (int32_t i = 0; i < count; ++i)
        point[i] = stic_vec3_scale(0.5, unit(random));
    SticPolyhedronDef def = stic_polyhedron_default_def();
    def.vertex = point;
    def.vertex_count = count;
    SticShape* shape = NULL;
    check(stic_shape_create_polyhedron(&context, &def, &shape, NULL));
    return shape;
}

static SticShape* make_mesh(void)
{
    static SticVec3 vertex[(MESH_SIDE + 1) * (MESH_SIDE + 1)];
    static int32_t triangle[6 * MESH_SIDE * MESH_SIDE];
    const SticContext context = stic_context_default();
    const int32_t row = MESH_SIDE + 1;
    int32_t n = 0;
    for (int32_t i = 0; i < row * row; ++i) {
        const double x = 0.25 * (i % row), y = 0.25 * (double)(i / row);
        vertex[i] = stic_vec3(x, y, 0.3 * sin(1.3 * x) * cos(0.9 * y));
    }
    for (int32_t j = 0; j < MESH_SIDE; ++j)
        for (int32_t i = 0; i < MESH_SIDE; ++i) {
            const int32_t o = row * j + i;
            const int32_t corner[6] = {o, o + 1, o + row + 1, o, o + row + 1, o + row};
            for (int k = 0; k < 6; ++k)
                triangle[n++] = corner[k];
        }
    SticMeshDef def = stic_mesh_default_def();
    def.vertex = vertex;
    def.vertex_count = row * row;
    def.face_vertex = triangle;
    def.face_count = 2 * MESH_SIDE * MESH_SIDE;
    SticShape* shape = NULL;
    check(stic_shape_create_mesh(&context, &def, &shape, NULL));
    return shape;
}

static SticMat3 rotation(SticRandom* random)
{
    double q[4], norm = 0.0;
    for (int i = 0; i < 4; ++i) {
        q[i] = stic_random_range(random, -1, 1);
        norm += q[i] * q[i];
    }
    return norm > 0.01 ? stic_quat_to_matrix(stic_quat_load(q)) : stic_mat3_identity();
}

// to a distance of `gap` along the line of centres, by bisection with the distance and centres
static void approach(const Scene* scene, int32_t k, double gap)
{
    const SticShape *A = scene->shape[0][scene->index[k][0]],
                    *B = scene->shape[1][scene->index[k][1]];
    SticPose* pose = scene->pose[k];
    const SticVec3 d = stic_vec3_normalize(stic_vec3_sub(pose[0].origin, pose[1].origin));
    double low = 0.0, high = 4.0;
    for (int i = 0; i < 40; ++i) {
        const double middle = 0.5 * (low + high);
        pose[0].origin = stic_vec3_add_scaled(pose[1].origin, middle, d);
        const SticDistance now =
            stic_gjk_distance(A, &pose[0], B, &pose[1], STIC_SUBDISTANCE_FACES);
        if (now.distance > 0.0)
            high = middle;
        else
            low = middle;
    }
    pose[0].origin = stic_vec3_add_scaled(pose[1].origin, low + gap, d);
}

// the first box on the top of the second, turned about the vertical and shifted by half a size
static void put_at_rest(const Scene* scene, int32_t k, SticRandom* random, double gap)
{
    const SticVec3 a = scene->shape[0][scene->index[k][0]]->as.box.half;
    const SticVec3 b = scene->shape[1][scene->index[k][1]]->as.box.half;
    const SticMat3 S = scene->pose[k][1].F;
    const double angle = k % 2 == 0 ? 0.0 : stic_random_range(random, -1.0, 1.0);
    const SticVec3 up = stic_vec3(0.0, 0.0, a.z + b.z + gap);
    const SticVec3 x = stic_vec3(0.5 * b.x, stic_random_range(random, -0.5, 0.5) * b.y, 0.0);
    scene->pose[k][0] =
        stic_pose_rigid(stic_mat3_mul(S, stic_rotation_exp(stic_vec3(0.0, 0.0, angle))),
                        stic_mat3_mul_vec(S, stic_vec3_add(x, up)));
}

static void make_scene(Scene* scene, const SceneKind* kind, int32_t pairs)
{
    const int which = kind->bodies;
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(41);
    scene->pairs = pairs;
    scene->reach = 0.02;
    scene->index = calloc((size_t)pairs, sizeof *scene->index);
    scene->pose = calloc((size_t)pairs, sizeof *scene->pose);
    for (int i = 0; i < SHAPES; ++i)
        for (int s = 0; s < 2; ++s) {
            const SticVec3 half = stic_vec3(stic_random_range(&random, 0.2, 0.5),
                                            stic_random_range(&random, 0.2, 0.5),
                                            stic_random_range(&random, 0.2, 0.5));
            if (which == BOXES || which == BOXES_AT_REST)
                check(stic_shape_create_box(&context, half, &scene->shape[s][i], NULL));
            else if (which == HULLS)
                scene->shape[s][i] = make_hull(&random, 32);
            else if (s == 0)
                check(stic_shape_create_sphere(&context, half.x, &scene->shape[s][i], NULL));
            else
                scene->shape[s][i] = i == 0 ? make_mesh() : scene->shape[s][0];
        }
    for (int32_t k = 0; k < pairs; ++k) {
        const double gap = kind->gap;
        scene->index[k][0] = k % SHAPES;
        scene->index[k][1] = (k / SHAPES) % SHAPES;
        scene->pose[k][0] = stic_pose_rigid(rotation(&random), unit(&random));
        scene->pose[k][1] = stic_pose_rigid(rotation(&random), stic_vec3_zero());
        if (which == BOXES_AT_REST)
            put_at_rest(scene, k, &random, gap);
        else if (which != SPHERE_MESH)
            approach(scene, k, gap);
        if (which != SPHERE_MESH)
            continue;
        const double x = stic_random_range(&random, 1, 15), y = stic_random_range(&random, 1, 15);
        const double r = scene->shape[0][k % SHAPES]->as.sphere.radius;
        scene->pose[k][1] = stic_pose_identity();
        scene->pose[k][0] = stic_pose_rigid(
            stic_mat3_identity(), stic_vec3(x, y, 0.3 * sin(1.3 * x) * cos(0.9 * y) + r + gap));
    }
}

/* ---- runs ---- */

// what one library does with a scene
typedef struct Subject {
    const NarrowPeer* peer; // NULL: ours
    void* shape[2][SHAPES]; // of the peer
    bool able;              // it has these shapes
    double least, contacts; // seconds of a round, per pair
} Subject;

static double round_of_ours(const Scene* scene, SticCollide* collide, Subject* subject)
{
    int64_t contacts = 0;
    const double start = seconds();
    for (int32_t k = 0; k < scene->pairs; ++k) {
        const SticCollider a = {scene->shape[0][scene->index[k][0]], scene->pose[k][0], 1};
        const SticCollider b = {scene->shape[1][scene->index[k][1]], scene->pose[k][1], 2};
        const SticContact* list;
        int32_t count;
        check(stic_collide_pair(collide, &a, &b, scene->reach, &list, &count));
        contacts += count;
    }
    subject->contacts = (double)contacts / scene->pairs;
    return seconds() - start;
}

static void* peer_shape(const NarrowPeer* peer, const SticShape* shape)
{
    const SticPolyhedron* p = stic_shape_polyhedron(shape);
    if (shape->kind == STIC_SHAPE_SPHERE)
        return peer->sphere(shape->as.sphere.radius);
    if (shape->kind == STIC_SHAPE_BOX) {
        double half[3];
        stic_vec3_store(shape->as.box.half, half);
        return peer->box(half);
    }
    if (p != NULL)
        return peer->hull((const double(*)[3])p->vertex, p->vertex_count, p->face_begin,
                          p->face_vertex, p->face_count);
    const SticMesh* mesh = &shape->as.mesh;
    return peer->mesh == NULL ? NULL
                              : peer->mesh((const double(*)[3])mesh->vertex, mesh->vertex_count,
                                           (const int(*)[3])mesh->triangle, mesh->triangle_count);
}

static void store(const SticPose* pose, double to[12])
{
    stic_mat3_store(pose->F, to);
    stic_vec3_store(pose->origin, to + 9);
}

static Subject make_subject(const Scene* scene, const NarrowPeer* peer)
{
    Subject subject = {.peer = peer, .able = true, .least = (double)INFINITY};
    for (int s = 0; peer != NULL && s < 2; ++s)
        for (int i = 0; i < SHAPES; ++i) {
            const bool again = i > 0 && scene->shape[s][i] == scene->shape[s][0];
            subject.shape[s][i] =
                again ? subject.shape[s][0] : peer_shape(peer, scene->shape[s][i]);
            subject.able = subject.able && subject.shape[s][i] != NULL;
        }
    return subject;
}

static double round_of_peer(const Scene* scene, Subject* subject)
{
    int64_t contacts = 0;
    const double start = seconds();
    for (int32_t k = 0; k < scene->pairs; ++k) {
        double a[12], b[12];
        store(&scene->pose[k][0], a);
        store(&scene->pose[k][1], b);
        contacts += subject->peer->collide(subject->shape[0][scene->index[k][0]], a,
                                           subject->shape[1][scene->index[k][1]], b, scene->reach);
    }
    subject->contacts = (double)contacts / scene->pairs;
    return seconds() - start;
}

static void run_scene(const Scene* scene, SticCollide* collide, Subject* subjects, int rounds)
{
    for (int round = 0; round < rounds; ++round)
        for (int i = 0; i <= MOST_PEERS; ++i) {
            Subject* subject = &subjects[i];
            if (!subject->able)
                continue;
            const double time = subject->peer == NULL ? round_of_ours(scene, collide, subject)
                                                      : round_of_peer(scene, subject);
            subject->least = fmin(subject->least, time);
        }
}

static void print_head(int columns)
{
    printf("| pairs | stiction |");
    for (int i = 0; i < columns; ++i)
        printf(" %s |", peers[i]->name);
    printf("\n|---|---|");
    for (int i = 0; i < columns; ++i)
        printf("---|");
    printf("\n");
}

static void print_row(const SceneKind* kind, const Scene* scene, const Subject* subjects,
                      int columns)
{
    printf("| %s |", kind->name);
    for (int i = 0; i <= columns; ++i)
        if (subjects[i].able)
            printf(" %.0f (%.2f) |", 1e9 * subjects[i].least / scene->pairs, subjects[i].contacts);
        else
            printf(" |");
    printf("\n");
}

/* ---- polarity against clipping ---- */

static void compare_intersections(int rounds)
{
    static const int32_t points[] = {4, 8, 16, 32, 64, 102};
    enum { SIZES = sizeof points / sizeof points[0] };
    double least[2][SIZES];
    int32_t faces[SIZES];
    const SticContext context = stic_context_default();
    SticRandom random = stic_random_create(43);
    SticArena* arena;
    check(stic_arena_create(&context, 1 << 20, &arena));
    for (int n = 0; n < SIZES; ++n) {
        SticShape *A = make_hull(&random, points[n]), *B = make_hull(&random, points[n]);
        const SticPose pose = stic_pose_rigid(rotation(&random), stic_vec3(0.2, 0.1, 0.0));
        SticHull hull[2];
        least[0][n] = least[1][n] = (double)INFINITY;
        faces[n] = stic_shape_polyhedron(A)->face_count;
        check(stic_hull_place(arena, stic_shape_polyhedron(A), &pose, &hull[0]));
        check(stic_hull_place(arena, stic_shape_polyhedron(B), NULL, &hull[1]));
        for (int round = 0; round < rounds; ++round)
            for (int method = 0; method < 2; ++method) {
                SticOverlap overlap;
                const SticArenaMark mark = stic_arena_mark(arena);
                const double start = stic_timer_seconds();
                check(method == 0 ? stic_overlap_by_clipping(arena, hull, &overlap)
                                  : stic_overlap_by_polarity(arena, hull, &overlap));
                least[method][n] = fmin(least[method][n], stic_timer_seconds() - start);
                stic_arena_rewind(arena, mark);
            }
        stic_shape_destroy(A);
        stic_shape_destroy(B);
    }
    stic_arena_destroy(arena);
    printf("\nIntersection of two overlapping hulls, microseconds\n\n| faces of each |");
    for (int n = 0; n < SIZES; ++n)
        printf(" %d |", (int)faces[n]);
    printf("\n|---|---|---|---|---|---|---|\n");
    for (int method = 0; method < 2; ++method) {
        printf("| %s |", method == 0 ? "clipping" : "polarity");
        for (int n = 0; n < SIZES; ++n)
            printf(" %.3g |", 1e6 * least[method][n]);
        printf("\n");
    }
}

static void release(Scene* scene)
{
    for (int i = 0; i < SHAPES; ++i) {
        stic_shape_destroy(scene->shape[0][i]);
        if (i == 0 || scene->shape[1][i] != scene->shape[1][0])
            stic_shape_destroy(scene->shape[1][i]);
    }
    free(scene->index);
    free(scene->pose);
}

static long number(const char* argument, const char* name, long otherwise)
{
    const size_t length = strlen(name);
    return strncmp(argument, name, length) == 0 ? strtol(argument + length, NULL, 10) : otherwise;
}

int main(int argc, char** argv)
{
    static Scene scene[SCENES];
    static Subject subject[SCENES][MOST_PEERS + 1];
    const SticContext context = stic_context_default();
    const SticCollideSettings settings = stic_collide_default_settings();
    SticCollide* collide = NULL;
    long pairs = 8000, rounds = 2, repeats = 10, only = -1, with_peers = 1;
    for (int i = 1; i < argc; ++i) {
        pairs = number(argv[i], "pairs=", pairs);
        rounds = number(argv[i], "rounds=", rounds);
        repeats = number(argv[i], "repeats=", repeats);
        only = number(argv[i], "only=", only);
        with_peers = number(argv[i], "peers=", with_peers);
    }
    int columns = 0;
    while (with_peers != 0 && peers[columns] != NULL)
        ++columns;
    check(stic_collide_create(&context, &settings, &collide));
    for (int k = 0; k < SCENES; ++k)
        if (only < 0 || k == only) {
            make_scene(&scene[k], &kinds[k], pairs > 0 ? (int32_t)pairs : 1);
            for (int i = 0; i <= columns; ++i)
                subject[k][i] = make_subject(&scene[k], i == 0 ? NULL : peers[i - 1]);
        }
    for (long repeat = 0; repeat < repeats; ++repeat)
        for (int k = 0; k < SCENES; ++k)
            if (only < 0 || k == only)
                run_scene(&scene[k], collide, subject[k], (int)rounds);
    print_head(columns);
    for (int k = 0; k < SCENES; ++k)
        if (only < 0 || k == only) {
            print_row(&kinds[k], &scene[k], subject[k], columns);
            release(&scene[k]);
        }
    if (only < 0)
        compare_intersections((int)(10 * rounds * repeats));
    stic_collide_destroy(collide);
    return 0;
}
