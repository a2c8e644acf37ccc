-- Two gears with clearance between their teeth; the small one drives the large one.
--
-- Shows: compounds of convex pieces, hinges, a drive, contact with clearance.
-- Reference: the angles follow the ratio of the teeth, up to the backlash.

title "gears with clearance"
local m, width, n1, n2 = 0.02, 0.04, 12, 18
local clearance = param("clearance", 0.1)
material{name = "steel", density = 7800, friction = 0.1}
local function gear(n, turn)
    local pitch, parts, disc = n * m / 2, {}, {}
    local root = pitch - 1.1 * m
    for k = 1, 2 * n do
        local a = math.pi * k / n
        for _, z in ipairs{-width / 2, width / 2} do
            disc[#disc + 1] = {root * math.cos(a), root * math.sin(a), z}
        end
    end
    parts[1] = shape.hull{points = disc, material = "steel"}
    for k = 1, n do
        local points = {}
        -- half widths at the root and at the tip of a tooth, as angles
        local half = math.pi / 2 / n * (1 - clearance)
        for _, row in ipairs{{root - 0.2 * m, 1.45}, {pitch + 0.9 * m, 0.5}} do
            for _, side in ipairs{-1, 1} do
                local a = 2 * math.pi * k / n + turn + side * half * row[2]
                for _, z in ipairs{-width / 2, width / 2} do
                    points[#points + 1] = {row[1] * math.cos(a), row[1] * math.sin(a), z}
                end
            end
        end
        parts[k + 1] = shape.hull{points = points, material = "steel"}
    end
    return parts
end
gravity{0, 0, 0}
local distance = (n1 + n2) * m / 2 * 1.01
-- a tooth of the first points at a gap of the second
body{name = "small", shape = gear(n1, 0)}
body{name = "large", position = {distance, 0, 0}, shape = gear(n2, math.pi + math.pi / n2)}
joint.hinge{name = "drive", a = "small", point = {0, 0, 0}, axis = {0, 0, 1}, driven = true,
            speed = 1}
joint.hinge{name = "driven", a = "large", point = {distance, 0, 0}, axis = {0, 0, 1},
            friction = 0.05}
solver "auto" {tolerance = 1e-9}
run{step = 1e-3, duration = 1.5, short_duration = 0.6, project = true}
output{every = 10}
history{quantity = "coordinate", joint = "drive"}
history{quantity = "coordinate", joint = "driven"}

check{name = "angle of the drive", quantity = "coordinate", joint = "drive", at = 0.6, value = 0.6,
      tolerance = 1e-6, source = "prescribed speed"}
check{name = "angle of the large gear", quantity = "coordinate", joint = "driven", at = 0.6,
      value = -0.6 * n1 / n2, tolerance = 2 * math.pi / n2 * (clearance + 0.05),
      source = "ratio of the teeth, up to the backlash"}
