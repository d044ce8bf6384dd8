import type { Progress } from '../backup/index.ts'
import type { Clock } from '../infra/clock/index.ts'
import { diskPath } from '../infra/git/index.ts'
import { type Compared, copiesWithoutRow, type Judged, judgeRepositories } from '../modules/replication/index.ts'
import type { RepositoryRow } from '../platform/repositories/index.ts'
import { mostFindings, type Report } from './report.ts'

type Place = Pick<RepositoryRow, 'id' | 'storage' | 'disk_path' | 'object_format'>

/** Where the repositories of the new primary come from. */
export type Chosen = {
  /** Where those are that have copies. */
  places: Place[]
  /** The rows of those that are restored from the backup, by id. */
  fromBackup: Map<number, RepositoryRow>
}

function nameOf({ id, kind, project_id: project, namespace_id: group, snippet_id: snippet }: RepositoryRow): string {
  const owner = project !== null ? `project ${project}` : group !== null ? `group ${group}` : `snippet ${snippet}`
  return `repository ${id} (${kind === 'wiki' ? `wiki of ${owner}` : owner})`
}

/** What the operator has to know of a repository; null when nothing. */
function findingOf({ row, origin, unused, place, behindSince }: Judged): string | null {
  const name = nameOf(row)
  if (origin === 'nowhere') return `Missing: ${name}.`
  if (origin === 'older copy') {
    return `Older than the database, or damaged: ${name}, in ${place?.storage}:${place?.disk_path}.`
  }
  if (origin === 'backup' && unused !== null) {
    return `Taken from the backup, which is newer than its copy: ${name}; the copy stays in ${unused}.`
  }
  if (behindSince === null) return null
  return `Lost: a change of ${name} that this secondary heard of at ${behindSince}, and had not copied.`
}

/** Deletes the locks that git of the secondary has left in a copy. */
async function clearLocks({ git }: Compared, { place }: Judged, clock: Clock): Promise<void> {
  const path = place && diskPath(place.disk_path)
  if (!place || !path) return
  await git.repository({ storage: place.storage, diskPath: path }).clearStale({ olderThanMs: 0, now: clock.now() })
}

/** Decides for each repository where it comes from, and notes what is missing or older. */
export async function chooseRepositories(
  compared: Compared,
  { report, progress, clock }: { report: Report; progress: Progress; clock: Clock },
): Promise<Chosen> {
  const chosen: Chosen = { places: [], fromBackup: new Map() }
  const findings: string[] = []
  await progress.step('comparison of repositories', undefined, 'items')
  for await (const judged of judgeRepositories(compared)) {
    const { row, origin, place } = judged
    report.repositories[origin] = (report.repositories[origin] ?? 0) + 1
    if (place) chosen.places.push(place)
    if (judged.isInterrupted && !report.isDryRun) await clearLocks(compared, judged, clock)
    if (origin === 'backup') chosen.fromBackup.set(row.id, row)
    const finding = findingOf(judged)
    if (finding !== null) findings.push(finding)
    progress.advance(1)
  }
  for await (const { replicable_id: id, project_id: project, location } of copiesWithoutRow(compared)) {
    const owner = project === null ? '' : ` of project ${project}`
    findings.push(
      `Made after the database, which has no row of it: repository ${id}${owner}; its copy stays in ${location}.`,
    )
  }
  report.findings.push(...limited(findings))
  return chosen
}

/** Some lines, and how many there are beside. */
export function limited(findings: readonly string[]): string[] {
  const left = findings.length - mostFindings
  return left > 0 ? [...findings.slice(0, mostFindings), `And ${left} more of this kind.`] : [...findings]
}
