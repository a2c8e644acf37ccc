// SPDX-License-Identifier: Apache-2.0
// libccd: depth, direction and one point by GJK and EPA; nothing for pairs that are apart.
#include "narrow_peer.h"

#include <ccd/ccd.h>
#include <stdlib.h>
#include <string.h>

typedef struct Body {
    int points; // 0: a ball
    double radius;
    double (*point)[3];
    double pose[12];
} Body;

static void support(const void* self, const ccd_vec3_t* direction, ccd_vec3_t* x)
{
    const Body* body = self;
    const double *R = body->pose, *o = R + 9;
    const double d[3] = {ccdVec3X(direction), ccdVec3Y(direction), ccdVec3Z(direction)};
    double local[3], p[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < 3; ++i)
        local[i] = R[i] * d[0] + R[3 + i] * d[1] + R[6 + i] * d[2];
    if (body->points == 0) {
        ccd_vec3_t n = *direction;
        ccdVec3Normalize(&n);
        ccdVec3Set(x, o[0] + body->radius * ccdVec3X(&n), o[1] + body->radius * ccdVec3Y(&n),
                   o[2] + body->radius * ccdVec3Z(&n));
        return;
    }
    int best = 0;
    double top = -1e300;
    for (int i = 0; i < body->points; ++i) {
        const double* q = body->point[i];
        const double h = local[0] * q[0] + local[1] * q[1] + local[2] * q[2];
        if (h > top) {
            top = h;
            best = i;
        }
    }
    for (int i = 0; i < 3; ++i)
        p[i] = R[3 * i] * body->point[best][0] + R[3 * i + 1] * body->point[best][1] +
               R[3 * i + 2] * body->point[best][2] + o[i];
    ccdVec3Set(x, p[0], p[1], p[2]);
}

static void* hull(const double (*point)[3], int points, const int* begin, const int* corner,
                  int faces)
{
    (void)begin;
    (void)corner;
    (void)faces;
    Body* body = calloc(1, sizeof *body);
    body->points = points;
    body->point = malloc((size_t)points * sizeof *body->point);
    memcpy(body->point, point, (size_t)points * sizeof *body->point);
    return body;
}

static void* box(const double half[3])
{
    double corner[8][3];
    for (int i = 0; i < 8; ++i)
        for (int j = 0; j < 3; ++j)
            corner[i][j] = i & 1 << j ? half[j] : -half[j];
    return hull((const double(*)[3])corner, 8, NULL, NULL, 0);
}

static void* sphere(double radius)
{
    Body* body = calloc(1, sizeof *body);
    body->radius = radius;
    return body;
}

static int collide(void* a, const double pose_a[12], void* b, const double pose_b[12], double reach)
{
    Body *A = a, *B = b;
    ccd_t ccd;
    ccd_real_t depth;
    ccd_vec3_t direction, point;
    (void)reach;
    memcpy(A->pose, pose_a, sizeof A->pose);
    memcpy(B->pose, pose_b, sizeof B->pose);
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support;
    ccd.max_iterations = 100;
    ccd.epa_tolerance = 1e-6;
    return ccdGJKPenetration(A, B, &ccd, &depth, &direction, &point) == 0;
}

const NarrowPeer narrow_peer_libccd = {
    "libccd", "one point, overlapping pairs only", box, hull, sphere, NULL, collide};
