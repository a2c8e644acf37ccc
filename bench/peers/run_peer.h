// SPDX-License-Identifier: Apache-2.0
// What the drivers of other engines share: the scene of bench/runs/scenes.py, CPU times of steps,
// and states for the judge.
//
//     DRIVER SCENE.txt STATE [iterations] [seconds]
//
// STATE.75 and STATE get a line of 13 numbers per body: position, orientation (w x y z), velocity
// of the centre of mass, angular velocity in world axes. Where impulses can be read, one more step
// is made that is not timed: STATE.contacts gets its contacts, see PeerContact, and STATE.after
// the state behind it. One JSON object is printed.
#ifndef BENCH_RUN_PEER_H
#define BENCH_RUN_PEER_H

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <time.h>
#include <vector>

typedef std::array<double, 13> PeerState;

// bodies A and B (-1: fixed), point, normal from B to A, impulse on A, gap
struct PeerContact {
    int body[2];
    std::array<double, 10> number;
};

struct PeerShape {
    std::string kind; // sphere, box, hull, drum: plates of 3 + 4 + 3 numbers
    std::vector<double> number;
};

struct PeerBody {
    int driven, shape;
    double mass, moment[3];
    PeerState start;
};

struct PeerScene {
    double step = 0.0, friction = 0.0;
    int steps = 0;
    std::vector<std::array<double, 4>> plane;
    std::vector<PeerShape> shape;
    std::vector<PeerBody> body;
    struct Joint {
        int a, b; // -1: the ground
        double point[3];
    };
    std::vector<Joint> joint;
};

static inline PeerScene peer_read(const char* path)
{
    PeerScene scene;
    std::ifstream file(path);
    for (std::string line, word; std::getline(file, line);) {
        std::istringstream in(line);
        in >> word;
        if (word == "step")
            in >> scene.step;
        else if (word == "steps")
            in >> scene.steps;
        else if (word == "friction")
            in >> scene.friction;
        else if (word == "plane") {
            std::array<double, 4> plane;
            for (double& x : plane)
                in >> x;
            scene.plane.push_back(plane);
        } else if (word == "shape") {
            PeerShape shape;
            size_t count = 0;
            in >> shape.kind >> count;
            shape.number.resize(count);
            for (double& x : shape.number)
                in >> x;
            scene.shape.push_back(shape);
        } else if (word == "body") {
            PeerBody body;
            in >> body.driven >> body.shape >> body.mass >> body.moment[0] >> body.moment[1] >>
                body.moment[2];
            for (double& x : body.start)
                in >> x;
            scene.body.push_back(body);
        } else if (word == "joint") {
            PeerScene::Joint joint;
            in >> joint.a >> joint.b >> joint.point[0] >> joint.point[1] >> joint.point[2];
            scene.joint.push_back(joint);
        }
    }
    if (scene.steps == 0 || scene.body.empty()) {
        fprintf(stderr, "%s is no scene\n", path);
        exit(2);
    }
    return scene;
}

static inline double peer_cpu()
{
    timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline void peer_store(const std::string& path, const std::vector<PeerState>& state)
{
    FILE* file = fopen(path.c_str(), "w");
    for (const PeerState& body : state) {
        for (double x : body)
            fprintf(file, "%.17g ", x);
        fprintf(file, "\n");
    }
    fclose(file);
}

static inline void peer_store(const std::string& path, const std::vector<PeerContact>& contact)
{
    FILE* file = fopen(path.c_str(), "w");
    for (const PeerContact& one : contact) {
        fprintf(file, "%d %d", one.body[0], one.body[1]);
        for (double x : one.number)
            fprintf(file, " %.17g", x);
        fprintf(file, "\n");
    }
    fclose(file);
}

// largest memory of this process; ru_maxrss would count that of its parent, too
static inline long peer_mb()
{
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
        if (line.compare(0, 6, "VmHWM:") == 0)
            return atol(line.c_str() + 6) / 1024;
    return 0;
}

// steps of `step`, each timed; `get` reads the state, `touch` the contacts of the last step
template <class Step, class Get, class Touch>
int peer_run(const PeerScene& scene, const char* path, double seconds, Step step, Get get,
             Touch touch)
{
    std::vector<double> ms;
    double total = 0.0, last = 0.0;
    for (int k = 0; k < scene.steps && total < 1e3 * seconds; ++k) {
        const double start = peer_cpu();
        step(k);
        ms.push_back(1e3 * (peer_cpu() - start));
        total += ms.back();
        if (k + 1 == scene.steps * 3 / 4)
            peer_store(std::string(path) + ".75", get());
    }
    peer_store(path, get());
    step((int)ms.size());
    peer_store(std::string(path) + ".contacts", touch());
    peer_store(std::string(path) + ".after", get());
    const size_t quarter = std::max<size_t>(1, ms.size() / 4);
    for (size_t k = ms.size() - quarter; k < ms.size(); ++k)
        last += ms[k];
    std::sort(ms.begin(), ms.end());
    printf(
        "{\"steps\": %zu, \"of\": %d, \"ms_mean\": %.5g, \"ms_last\": %.5g, \"ms_median\": %.5g, "
        "\"ms_worst\": %.5g, \"mb\": %ld}\n",
        ms.size(), scene.steps, total / (double)ms.size(), last / (double)quarter,
        ms[ms.size() / 2], ms.back(), peer_mb());
    return 0;
}

#endif
