// SPDX-License-Identifier: Apache-2.0
// The laws: names, shapes, sets, and one projected step of each.
//
// The step p(u, r) has r as a fixed point exactly where the law holds:
//
//   FREE … CONTENSOU     p = prox_C(r - rho u), C fixed by the bound B
//   CONE, ROLLING        p = prox_K(r - rho (u_N + mu |u_T| + mu_roll |u_R|, u_T, u_R)), K the
//                        cone; De Saxcé's bipotential (Koziara 2008, eq. 10.3.4; Möller 2011, eq. 3.110,
//                        with the cone not reflected because our sets hold r)
//   CONE_ELLIPSE,        p_N = max(0, r_N - rho_N u_N), then p_T = prox_{p_N D}(r_T - rho_T u_T)
//   CONE_CONTENSOU       with the section D of the law for r_N = 1; stic_law_step_split does this
//                        for CONE and ROLLING too
//
// Why p_N may scale the section: if p = r then p_N = r_N, the first equation is the
// normal law r_N >= 0, u_N >= 0, r_N u_N = 0, and the second one is -u_T in N_{r_N D}(r_T). If the
// law holds, the first equation gives p_N = r_N and the second then p_T = r_T. Scaling by
// max(r_N, 0) would have the same fixed points; with p_N the step also ends inside the cone, and
// friction reacts to a normal reaction in the same step. (Alart & Curnier 1991; Koziara eq.
// 10.3.33.)
//
// The metric. Each group of rows (stic_law_groups) has its own rho; the projection is the
// orthogonal one after the rows of group g are divided by sqrt(rho_g). Discs, ellipses, cones and
// the Contensou body keep their kind under that: semi-axes are divided by sqrt(rho), cone
// coefficients multiplied by sqrt(rho_N / rho_T), the Contensou lever by sqrt(rho_T / rho_tau).
// With rho_tau = rho_T lever^2 the ellipsoid becomes a ball (Möller 2011, section 2.4).
#include <math.h>
#include <string.h>

#include "law/law_kernel.h"
#include "law/set_parts.h"
#include "stiction/extend/base.h"

typedef struct LawShape {
    const char* name;
    const char* text;
    uint32_t rows;    // bit n: may have n rows
    uint32_t coefs;   // bit k: coef[k] is used
    int32_t groups;   // groups of rows, see stic_law_groups
    int32_t first[3]; // first row of each
} LawShape;

static const LawShape shapes[STIC_LAW_COUNT] = {
    [STIC_LAW_FREE] = {.name = "free",
                       .text = "The reaction is free and the velocity zero: joints.",
                       .rows = 0x7e,
                       .groups = 1},
    [STIC_LAW_NONNEG] = {.name = "nonneg",
                         .text = "Unilateral contact or sprag clutch: r >= 0, u >= 0, r u = 0.",
                         .rows = 1 << 1,
                         .groups = 1},
    [STIC_LAW_INTERVAL] = {.name = "interval",
                           .text = "Planar friction or a limited drive: -c0 B <= r <= c1 B.",
                           .rows = 1 << 1,
                           .coefs = 0x3,
                           .groups = 1},
    [STIC_LAW_BALL] = {.name = "ball",
                       .text = "Friction of equal bound in all directions: |r| <= c0 B.",
                       .rows = 1 << 2 | 1 << 3,
                       .coefs = 0x1,
                       .groups = 1},
    [STIC_LAW_ELLIPSE] = {.name = "ellipse",
                          .text = "Anisotropic friction: an ellipse with semi-axes c0 B, c1 B.",
                          .rows = 1 << 2,
                          .coefs = 0x3,
                          .groups = 2,
                          .first = {0, 1}},
    [STIC_LAW_ELLIPSOID] = {.name = "ellipsoid",
                            .text = "Sliding and drilling friction coupled by an ellipsoid with "
                                    "semi-axes c0 B, c1 B, c2 B.",
                            .rows = 1 << 3,
                            .coefs = 0x7,
                            .groups = 3,
                            .first = {0, 1, 2}},
    [STIC_LAW_CYLINDER] = {.name = "cylinder",
                           .text = "Sliding and drilling friction decoupled: disc c0 B times "
                                   "interval c2 B.",
                           .rows = 1 << 3,
                           .coefs = 0x5,
                           .groups = 2,
                           .first = {0, 2}},
    [STIC_LAW_CONTENSOU] = {.name = "contensou",
                            .text = "Sliding and drilling friction of a circular patch of radius "
                                    "c3.",
                            .rows = 1 << 3,
                            .coefs = 0x9,
                            .groups = 2,
                            .first = {0, 2}},
    [STIC_LAW_CONE] = {.name = "cone",
                       .text = "Contact with Coulomb friction: |r_T| <= mu r_N.",
                       .rows = 1 << 2 | 1 << 3,
                       .coefs = 0x1,
                       .groups = 2,
                       .first = {0, 1}},
    [STIC_LAW_CONE_ELLIPSE] = {.name = "cone-ellipse",
                               .text = "Contact with anisotropic Coulomb friction.",
                               .rows = 1 << 3,
                               .coefs = 0x3,
                               .groups = 3,
                               .first = {0, 1, 2}},
    [STIC_LAW_CONE_CONTENSOU] = {.name = "cone-contensou",
                                 .text = "Contact with coupled sliding and drilling friction.",
                                 .rows = 1 << 4,
                                 .coefs = 0x9,
                                 .groups = 3,
                                 .first = {0, 1, 3}},
    [STIC_LAW_ROLLING] = {.name = "rolling",
                          .text = "Contact with sliding and rolling friction: |r_T| <= mu r_N, "
                                  "|r_R| <= mu_roll r_N.",
                          .rows = 1 << 3 | 1 << 5,
                          .coefs = 0x5,
                          .groups = 3,
                          .first = {0, 1, -1}}, // the third starts in the middle
};

static bool is_law(SticLaw law)
{
    return (unsigned)law < STIC_LAW_COUNT;
}

const char* stic_law_name(SticLaw law)
{
    return is_law(law) ? shapes[law].name : "unknown";
}

const char* stic_law_text(SticLaw law)
{
    return is_law(law) ? shapes[law].text : "There is no such law.";
}

bool stic_law_find(const char* name, SticLaw* law)
{
    STIC_ASSERT(law != NULL);
    for (int k = 0; k < STIC_LAW_COUNT; ++k)
        if (strcmp(shapes[k].name, name) == 0) {
            *law = (SticLaw)k;
            return true;
        }
    return false;
}

bool stic_law_takes_rows(SticLaw law, int32_t rows)
{
    return is_law(law) && rows >= 1 && rows <= STIC_SET_DIM &&
           (shapes[law].rows & (1u << rows)) != 0;
}

bool stic_law_has_normal(SticLaw law)
{
    return is_law(law) && (STIC_LAW_BIT(law) & STIC_LAW_WITH_NORMAL) != 0;
}

SticStatus stic_law_check(SticLaw law, int32_t rows, const double coef[4], double bound,
                          SticError* error)
{
    if (!is_law(law))
        return stic_error_set(error, STIC_BAD_DATA, "there is no law number %d", (int)law);
    if (!stic_law_takes_rows(law, rows))
        return stic_error_set(error, STIC_BAD_DATA, "law '%s' cannot have %d rows",
                              stic_law_name(law), (int)rows);
    for (int k = 0; k < 4; ++k)
        if ((shapes[law].coefs & (1u << k)) != 0 && !(isfinite(coef[k]) && coef[k] >= 0.0))
            return stic_error_set(error, STIC_BAD_DATA,
                                  "coefficient %d of law '%s' is %g; it must be finite and >= 0", k,
                                  stic_law_name(law), coef[k]);
    if (!(isfinite(bound) && bound >= 0.0))
        return stic_error_set(error, STIC_BAD_DATA,
                              "the bound of law '%s' is %g; it must be finite and >= 0",
                              stic_law_name(law), bound);
    return STIC_OK;
}

int32_t stic_law_groups(SticLaw law, int32_t rows, int32_t at[4])
{
    STIC_ASSERT(law >= 0 && law < STIC_LAW_COUNT);
    STIC_ASSERT(stic_law_takes_rows(law, rows));
    const LawShape* shape = &shapes[law];
    for (int32_t g = 0; g < 4; ++g)
        at[g] = g < shape->groups ? shape->first[g] : rows;
    // rolling: half of the rows behind the normal slide, half roll
    if (law == STIC_LAW_ROLLING)
        at[2] = (rows + 1) / 2;
    return shape->groups;
}

SticConvexSet stic_law_set(SticLaw law, int32_t rows, const double coef[4], double B)
{
    const double axes[3] = {coef[0] * B, coef[1] * B, coef[2] * B};
    switch (law) {
    case STIC_LAW_NONNEG:
        return stic_set_nonneg(rows);
    case STIC_LAW_INTERVAL:
        return stic_set_interval(-axes[0], axes[1]);
    case STIC_LAW_BALL:
        return stic_set_ball(rows, axes[0]);
    case STIC_LAW_ELLIPSE:
    case STIC_LAW_CONE_ELLIPSE:
        return stic_set_ellipsoid(2, axes);
    case STIC_LAW_ELLIPSOID:
        return stic_set_ellipsoid(3, axes);
    case STIC_LAW_CYLINDER:
        return stic_set_cylinder(axes[0], axes[2]);
    case STIC_LAW_CONTENSOU:
    case STIC_LAW_CONE_CONTENSOU:
        return stic_set_contensou(axes[0], stic_contensou_lever(coef[3]));
    case STIC_LAW_CONE:
        return stic_set_cone(rows, coef[0]);
    case STIC_LAW_ROLLING:
        return stic_set_rolling_cone(rows, coef[0], coef[2]);
    case STIC_LAW_FREE:
    case STIC_LAW_COUNT:
        break;
    }
    return stic_set_all(rows);
}

/* ---- steps ---- */

// rho of every row from that of its group
static void spread_rho(const SticLawBlock* block, const double* rho, double* row_rho)
{
    int32_t at[4];
    const int32_t groups = stic_law_groups(block->law, block->rows, at);
    for (int32_t g = 0; g < groups; ++g)
        for (int32_t k = at[g]; k < at[g + 1]; ++k)
            row_rho[k] = rho[g];
}

// the set in coordinates divided by `scale`, which is equal in the rows of a disc
static SticConvexSet scaled_set(SticConvexSet set, const double* scale)
{
    switch (set.kind) {
    case STIC_SET_ELLIPSOID:
        for (int32_t k = 0; k < set.n; ++k)
            set.size[k] /= scale[k];
        break;
    case STIC_SET_CYLINDER:
        set.size[0] /= scale[0];
        set.size[1] /= scale[2];
        break;
    case STIC_SET_CONTENSOU:
        set.size[0] /= scale[0];
        set.size[1] *= scale[0] / scale[2];
        break;
    default:
        break;
    }
    return set;
}

// prox of r - rho u on the set in the metric 1/rho, rho by row
static bool set_step(const SticConvexSet* set, const double* rho, const double* u, const double* r,
                     double* p)
{
    const int32_t n = set->n;
    bool even = true;
    for (int32_t k = 0; k < n; ++k) {
        p[k] = r[k] - rho[k] * u[k];
        even = even && rho[k] == rho[0];
    }
    if (even)
        return stic_set_prox(set, p, p);
    double scale[STIC_SET_DIM];
    for (int32_t k = 0; k < n; ++k) {
        scale[k] = sqrt(rho[k]);
        p[k] /= scale[k];
    }
    const SticConvexSet scaled = scaled_set(*set, scale);
    const bool inside = stic_set_prox(&scaled, p, p);
    for (int32_t k = 0; k < n; ++k)
        p[k] *= scale[k];
    return inside;
}

// ellipse and ellipsoid: every row is a group, and r is near the answer
static bool ellipsoid_step(const SticLawBlock* block, const double* rho, const double* u,
                           const double* r, double* p)
{
    double axes[3], x[3];
    for (int32_t k = 0; k < block->rows; ++k) {
        axes[k] = block->coef[k] * block->B;
        x[k] = r[k] - rho[k] * u[k];
    }
    return stic_ellipsoid_step(block->rows, axes, rho, x, r, p);
}

// two cones over one axis, see law_kernel.h
static bool rolling_step(const SticLawBlock* block, const double* rho, const double* u,
                         const double* r, double* p)
{
    const int32_t half = (block->rows - 1) / 2;
    const double mu[2] = {block->coef[0], block->coef[2]};
    double along = r[0] - rho[0] * u[0], across[2], top[2], bottom[2];
    for (int part = 0; part < 2; ++part) {
        const int32_t at = 1 + part * half;
        along -= rho[0] * mu[part] * stic_norm(half, u + at);
        stic_kernel_free_step(half, rho[1 + part], u + at, r + at, p + at);
        across[part] = stic_norm(half, p + at);
        const double k = rho[0] / rho[1 + part];
        top[part] = mu[part] * k * across[part];
        bottom[part] = mu[part] * mu[part] * k;
    }
    double height = stic_kernel_max(0.0, along);
    height = stic_kernel_max(height, (along + top[0]) / (1.0 + bottom[0]));
    height = stic_kernel_max(height, (along + top[1]) / (1.0 + bottom[1]));
    height = stic_kernel_max(height, (along + top[0] + top[1]) / (1.0 + bottom[0] + bottom[1]));
    p[0] = height;
    for (int part = 0; part < 2; ++part) {
        const double cut = stic_kernel_cut(across[part], mu[part] * height);
        for (int32_t k = 0; k < half; ++k)
            p[1 + part * half + k] *= cut;
    }
    return across[0] <= mu[0] * along && across[1] <= mu[1] * along;
}

// friction behind a normal row, in the section for the normal reaction `bound`
static bool section_step(const SticLawBlock* block, double bound, const double* rho,
                         const double* u, const double* r, double* p)
{
    const double* coef = block->coef;
    SticConvexSet set;
    if (block->law == STIC_LAW_ROLLING) {
        const int32_t half = (block->rows - 1) / 2;
        set = stic_set_ball(half, coef[2] * bound);
        const bool rolls = set_step(&set, rho + half, u + half, r + half, p + half);
        set = stic_set_ball(half, coef[0] * bound);
        return set_step(&set, rho, u, r, p) && rolls;
    }
    set = block->law == STIC_LAW_CONE ? stic_set_ball(block->rows - 1, coef[0] * bound)
                                      : stic_law_set(block->law, block->rows, coef, bound);
    return set_step(&set, rho, u, r, p);
}

bool stic_law_step_split(const SticLawBlock* block, const double rho[3], const double* u,
                         const double* r, double* p)
{
    STIC_ASSERT(block != NULL);
    if (!stic_law_has_normal(block->law))
        return stic_law_step(block, rho, u, r, p);
    double row_rho[STIC_SET_DIM];
    spread_rho(block, rho, row_rho);
    const double push = r[0] - rho[0] * u[0], normal = stic_kernel_max(0.0, push);
    const bool inside = section_step(block, normal, row_rho + 1, u + 1, r + 1, p + 1);
    p[0] = normal;
    return inside && push >= 0.0;
}

bool stic_law_step(const SticLawBlock* block, const double rho[3], const double* u, const double* r,
                   double* p)
{
    STIC_ASSERT(block != NULL);
    double row_rho[STIC_SET_DIM];
    switch (block->law) {
    case STIC_LAW_FREE:
        stic_kernel_free_step(block->rows, rho[0], u, r, p);
        return true;
    case STIC_LAW_NONNEG: {
        const double push = r[0] - rho[0] * u[0];
        p[0] = stic_kernel_max(0.0, push);
        return push >= 0.0;
    }
    case STIC_LAW_INTERVAL: {
        const double push = r[0] - rho[0] * u[0];
        const double low = -block->coef[0] * block->B, high = block->coef[1] * block->B;
        p[0] = push < low ? low : push > high ? high : push;
        return push >= low && push <= high;
    }
    case STIC_LAW_BALL:
        stic_kernel_free_step(block->rows, rho[0], u, r, p);
        return stic_ball_prox(block->rows, block->coef[0] * block->B, p, p);
    case STIC_LAW_ELLIPSE:
    case STIC_LAW_ELLIPSOID:
        return ellipsoid_step(block, rho, u, r, p);
    case STIC_LAW_CONE:
        return block->rows == 3 ? stic_kernel_cone3_step(block->coef[0], rho, u, r, p)
                                : stic_kernel_cone2_step(block->coef[0], rho, u, r, p);
    case STIC_LAW_ROLLING:
        return rolling_step(block, rho, u, r, p);
    case STIC_LAW_CONE_ELLIPSE:
    case STIC_LAW_CONE_CONTENSOU:
        return stic_law_step_split(block, rho, u, r, p);
    default:
        break;
    }
    spread_rho(block, rho, row_rho);
    const SticConvexSet set = stic_law_set(block->law, block->rows, block->coef, block->B);
    return set_step(&set, row_rho, u, r, p);
}
