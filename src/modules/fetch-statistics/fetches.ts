import { dayAfter, dayOf } from '../../api/index.ts'
import type { Job, Platform } from '../../platform/index.ts'
import type { Project } from '../projects/index.ts'
import { presentFetches } from './present.ts'
import { addFetch, deleteFetches, fetchesSince } from './store.ts'

/** The days of the statistics, today included. */
const shownDays = 30

const firstDay = ({ clock }: Pick<Platform, 'clock'>) => dayAfter(clock.now(), 1 - shownDays)

/** What was fetched; only the code of projects is counted. */
type Fetched = { project: { id: number } | null; row: { kind: string } }

/** Counts a clone or fetch. The client does not wait for it, and a failure costs the count only. */
export function countFetch(platform: Platform, { project, row }: Fetched): void {
  if (!project || row.kind !== 'project') return
  const { database, clock, log } = platform
  const day = dayOf(clock.now())
  database
    .write((tx) => addFetch(tx, project.id, day))
    .catch((error) => log.warn({ project: project.id, err: error }, 'a fetch was not counted'))
}

/** The fetches of the last 30 days (contract 21, x.projects_statistics). */
export async function fetchStatistics(platform: Platform, project: Project) {
  return presentFetches(await fetchesSince(platform.database.read, project.id, firstDay(platform)))
}

/** Deletes what is too old to be shown. */
export const forgetFetches: Job<null> = {
  kind: 'fetch_statistics.forget',
  every: { seconds: 86_400 },
  async run(platform) {
    await platform.database.write((tx) => deleteFetches(tx, firstDay(platform)))
  },
}
