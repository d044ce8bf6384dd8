import type { World } from '../world-types.ts'
import { announcements } from './announcements.ts'
import { dispatch } from './dispatch/project.ts'
import { groups } from './groups.ts'
import { handbook } from './handbook.ts'
import { harbour } from './harbour/project.ts'
import { kit } from './kit/project.ts'
import { machines } from './machines/project.ts'
import { notices } from './notices/project.ts'
import { people } from './people.ts'
import { sailings } from './sailings/project.ts'
import { tideClock } from './tide-clock.ts'
import { tides } from './tides/project.ts'
import { timetable } from './timetable/project.ts'

/** Slipway, a firm of eight that makes timetables for small ferry companies, and what it did in the last four months. */
export const world: World = {
  people,
  groups,
  projects: [handbook, timetable, sailings, harbour, tideClock, dispatch, notices, kit, tides, machines],
  acts: announcements,
}
