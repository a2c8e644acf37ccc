-- Two layers of nine flat bricks with notched corners in a frame; the middle brick of each layer is cracked, and the halves of the upper one
-- are pulled apart (N, across the crack) or sheared (T, along it) until the bricks lock. After the box-kite tests of graphite cores
-- (Koziara 2008, section 13.4.8), whose geometry is not public: this one is our own.
title "box kite"
local c, mode, degrees = param("clearance", 0.002), param("load", "N"), param("angle", 60)
local mu, force, size, notch, height = param("friction", 0), param("force", 5), 0.2, 0.04, 0.05
gravity{0, 0, -10}
material{name = "brick", density = mu == 0 and 10 or 1150, friction = mu}
floor{material = "brick"}
local half, inner = size / 2, size / 2 - notch
-- three boxes that make a plate with notched corners, in the plane
local plate = {{{-inner, -half}, {inner, -half}, {inner, half}, {-inner, half}},
               {{-half, -inner}, {-inner, -inner}, {-inner, inner}, {-half, inner}},
               {{inner, -inner}, {half, -inner}, {half, inner}, {inner, inner}}}
local angle = math.pi * degrees / 180
local normal = {math.sin(angle), -math.cos(angle)}
-- the part of a convex polygon on one side of the crack
local function cut(polygon, side)
    local kept = {}
    for i, p in ipairs(polygon) do
        local q = polygon[i % #polygon + 1]
        local a, b = side * (normal[1] * p[1] + normal[2] * p[2]), side * (normal[1] * q[1] + normal[2] * q[2])
        if a >= 0 then kept[#kept + 1] = p end
        if a * b < 0 then
            local s = a / (a - b)
            kept[#kept + 1] = {p[1] + s * (q[1] - p[1]), p[2] + s * (q[2] - p[2])}
        end
    end
    return kept
end
local function solid(polygons)
    local list = {}
    for _, polygon in ipairs(polygons) do
        local points = {}
        for _, p in ipairs(polygon) do
            for _, z in ipairs{-height / 2, height / 2} do points[#points + 1] = {p[1], p[2], z} end
        end
        if #polygon > 2 then list[#list + 1] = shape.hull{points = points} end
    end
    return shape.compound{shape = list, material = "brick"}
end
local pitch = size + c
for layer = 1, 2 do
    local z = (layer - 0.5) * height
    for i = -1, 1 do for j = -1, 1 do
        if i ~= 0 or j ~= 0 then body{name = layer .. "/" .. i .. "/" .. j, position = {i * pitch, j * pitch, z}, shape = solid(plate)} end
    end end
    for name, side in pairs{left = -1, right = 1} do
        local parts = {}
        for _, polygon in ipairs(plate) do parts[#parts + 1] = cut(polygon, side) end
        -- across the crack, or along it; both ways are ramps of half a second
        local way = mode == "N" and normal or {normal[2], -normal[1]}
        local function ramp(k) return layer == 2 and function(t) return side * way[k] * force * math.min(1, 2 * t) end or 0 end
        body{name = name .. layer, position = {0, 0, z}, shape = solid(parts), force = {ramp(1), ramp(2), 0}}
    end
end
local wall = 1.5 * size + 2 * c
for _, side in ipairs{-1, 1} do
    body{kind = "fixed", position = {side * (wall + 0.05), 0, height}, shape = shape.box{size = {0.1, 2 * wall, 2 * height}, material = "brick"}}
    body{kind = "fixed", position = {0, side * (wall + 0.05), height}, shape = shape.box{size = {2 * wall + 0.2, 0.1, 2 * height}, material = "brick"}}
end
scheme "moreau"
run{step = 2e-3, duration = param("duration", 1), policy = "continue"}
output{every = 25}
for _, name in ipairs{"left2", "right2"} do
    for _, k in ipairs{"x", "y"} do history{name = name .. "." .. k, quantity = "centre", body = name, component = k} end
end
