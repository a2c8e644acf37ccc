// SPDX-License-Identifier: Apache-2.0
// What bench_narrow asks of another library. Shapes live until the program ends.
#ifndef STIC_BENCH_NARROW_PEER_H
#define STIC_BENCH_NARROW_PEER_H

#ifdef __cplusplus
extern "C" {
#endif

typedef struct NarrowPeer {
    const char* name;
    const char* gives; ///< what information a pair gets
    void* (*box)(const double half[3]);
    /// Faces are counter-clockwise polygons: begin[faces + 1] into corner.
    void* (*hull)(const double (*point)[3], int points, const int* begin, const int* corner,
                  int faces);
    void* (*sphere)(double radius);
    /// NULL: the library has none.
    void* (*mesh)(const double (*point)[3], int points, const int (*triangle)[3], int triangles);
    /// Number of contacts. Poses: rotation by rows, then origin.
    int (*collide)(void* a, const double pose_a[12], void* b, const double pose_b[12],
                   double reach);
} NarrowPeer;

extern const NarrowPeer narrow_peer_bullet, narrow_peer_libccd, narrow_peer_fcl;

#ifdef __cplusplus
}
#endif

#endif
