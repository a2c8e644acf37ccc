// SPDX-License-Identifier: Apache-2.0
// FCL: contacts of overlapping pairs; nothing for pairs that are apart.
#include "narrow_peer.h"

#include <fcl/fcl.h>

#include <memory>
#include <vector>

namespace
{

using Geometry = std::shared_ptr<fcl::CollisionGeometryd>;

void* keep(fcl::CollisionGeometryd* geometry)
{
    geometry->computeLocalAABB();
    return new Geometry(geometry);
}

void* box(const double half[3])
{
    return keep(new fcl::Boxd(2.0 * half[0], 2.0 * half[1], 2.0 * half[2]));
}

void* hull(const double (*point)[3], int points, const int* begin, const int* corner, int faces)
{
    auto vertices = std::make_shared<std::vector<fcl::Vector3d>>();
    auto list = std::make_shared<std::vector<int>>();
    for (int i = 0; i < points; ++i)
        vertices->emplace_back(point[i][0], point[i][1], point[i][2]);
    for (int f = 0; f < faces; ++f) {
        list->push_back(begin[f + 1] - begin[f]);
        for (int k = begin[f]; k < begin[f + 1]; ++k)
            list->push_back(corner[k]);
    }
    return keep(new fcl::Convexd(vertices, faces, list));
}

void* sphere(double radius)
{
    return keep(new fcl::Sphered(radius));
}

void* mesh(const double (*point)[3], int points, const int (*triangle)[3], int triangles)
{
    auto* model = new fcl::BVHModel<fcl::OBBRSSd>;
    std::vector<fcl::Vector3d> vertices;
    std::vector<fcl::Triangle> list;
    for (int i = 0; i < points; ++i)
        vertices.emplace_back(point[i][0], point[i][1], point[i][2]);
    for (int i = 0; i < triangles; ++i)
        list.emplace_back(triangle[i][0], triangle[i][1], triangle[i][2]);
    model->beginModel();
    model->addSubModel(vertices, list);
    model->endModel();
    return keep(model);
}

fcl::Transform3d transform(const double p[12])
{
    fcl::Transform3d X = fcl::Transform3d::Identity();
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j)
            X.linear()(i, j) = p[3 * i + j];
        X.translation()(i) = p[9 + i];
    }
    return X;
}

int collide(void* a, const double pose_a[12], void* b, const double pose_b[12], double)
{
    const fcl::CollisionRequestd request(8, true);
    fcl::CollisionResultd result;
    fcl::collide(static_cast<Geometry*>(a)->get(), transform(pose_a),
                 static_cast<Geometry*>(b)->get(), transform(pose_b), request, result);
    return static_cast<int>(result.numContacts());
}

} // namespace

const NarrowPeer narrow_peer_fcl = {"fcl",  "overlapping pairs only", box, hull, sphere, mesh,
                                    collide};
