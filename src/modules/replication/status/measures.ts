import type { Measure, Platform } from '../../../platform/index.ts'
import { reportsByName } from './store.ts'

/** The numbers of the last reports of all nodes, as the primary has them. */
async function samplesOf(platform: Platform, secondsOf: (report: Report, nowMs: number) => number) {
  const nowMs = platform.clock.now().getTime()
  const reports = await reportsByName(platform.database.read)
  return reports.map((report) => ({ labels: { node: report.name }, value: secondsOf(report, nowMs) }))
}

type Report = Awaited<ReturnType<typeof reportsByName>>[number]

/** How far secondaries are behind, at the primary; a server without them has no samples. */
export const reportMeasures: readonly Measure[] = [
  {
    name: 'fennec_replication_lag_seconds',
    help: 'How old the oldest change is that a secondary has not copied, by its last report.',
    type: 'gauge',
    labels: ['node'],
    value: (platform) => samplesOf(platform, ({ status }) => Number(status.db_replication_lag_seconds ?? 0)),
  },
  {
    name: 'fennec_replication_report_age_seconds',
    help: 'Time since the last report of a secondary.',
    type: 'gauge',
    labels: ['node'],
    value: (platform) =>
      samplesOf(platform, ({ reported_at }, nowMs) => Math.max(0, (nowMs - Date.parse(reported_at)) / 1000)),
  },
]
