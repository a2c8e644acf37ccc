-- A semicircular masonry arch of 27 blocks under its own weight: it stands, or it falls.
--
-- Shows: the limit of equilibrium. Friction 0.4 lets the arch fail by hinges only; with 0.311 joints
-- slide and turn. Try --param thickness=1.062 (0.5 % too thin), with --until 3.2 --set scheme=moreau
-- --set solver=auto --accuracy preview to see all of its collapse, and
-- --param friction=0.311 --param thickness=1.967.
-- Reference: least thickness over radius for straight-sided blocks from the static theorem, as a
-- linear program solved twice independently: 0.106721 at friction 0.4 and 0.194743 at 0.311;
-- stiction limit gives the same. The dynamic run agrees within 0.01 %; docs/guide/scenes.md says
-- why the two might differ.
-- Koziara's thesis (13.4.7) has 0.1082 and 0.1965 with contact points inside the edges.

title "masonry arch"
local radius, width, blocks = 10, 5, 27
local friction = param("friction", 0.4)
-- 0.5 % above the limit at friction 0.4
local thickness = param("thickness", 1.0726)

-- least thickness over radius of 27 blocks by friction (stiction limit scenes/arch.lua --vary thickness
-- --between 0.5:4 --param friction=...); below 0.308988 no thickness helps, above 0.395276 no joint slides
local limits = {{0.308989, 0.197265}, {0.31, 0.195995}, {0.315, 0.189763}, {0.32, 0.183845},
                {0.325, 0.178207}, {0.33, 0.172649}, {0.335, 0.167170}, {0.34, 0.161767},
                {0.345, 0.156439}, {0.35, 0.151185}, {0.355, 0.146002}, {0.36, 0.140891},
                {0.365, 0.135849}, {0.37, 0.130874}, {0.375, 0.125967}, {0.38, 0.121124},
                {0.385, 0.116346}, {0.39, 0.111630}, {0.395276, 0.106721}, {1, 0.106721}}
local limit = math.huge
if friction > 1 then limit = 0.106721 * radius end
for i = 2, #limits do
    local a, b = limits[i - 1], limits[i]
    if friction >= a[1] and friction <= b[1] then
        limit = radius * (a[2] + (b[2] - a[2]) * (friction - a[1]) / (b[1] - a[1]))
    end
end

material{name = "stone", density = 2400, friction = friction}
local names = arch{radius = radius, thickness = thickness, width = width, blocks = blocks,
                   material = "stone"}
local crown = names[(blocks + 1) // 2]
scheme "koziara"
solver "prox-newton" {tolerance = 1e-12, second = "auto"}
run{step = 1e-3, duration = 1, short_duration = 0.3, policy = "retry"}
output{every = 10}
history{name = "crown", quantity = "centre", body = crown, component = "z"}
history{quantity = "kinetic"}

-- the middle of the crown block lies on the chord of the centreline
local start = radius * math.cos(math.pi / 2 / blocks)
local source = "the static theorem, whose limit is " .. limit
for _, t in ipairs{0.3, 1} do
    if thickness > limit then
        check{name = "stands: the crown stays", quantity = "position", body = crown,
              component = "z", at = t, value = start, tolerance = 1e-9, source = source}
    else
        check{name = "falls: height of the crown, 1 mm to 1 m below the start", quantity = "position", body = crown,
              component = "z", at = t, value = start - 0.5, tolerance = 0.4995, source = source}
    end
end
