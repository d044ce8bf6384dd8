import type { Knowledge, Origin } from '../modules/replication/index.ts'

/** What a promotion has found and done, or would do. */
export type Report = {
  isDryRun: boolean
  primaryUrl: string
  /** When the primary was last heard of, and up to when the secondary has followed it, by the clock of the primary. */
  heardAt: string
  followedUntil: string
  /** How often the secondary asks its primary, in seconds. */
  pollSeconds: number
  /** What the database is from, and the moment whose state it has; null when that is not known. */
  database: { from: string; at: string | null; isBackup: boolean }
  repositories: Partial<Record<Origin, number>>
  files: { there: number; copied: number; backup: number; missing: number }
  /** What is missing or older than it was, one sentence each. */
  findings: string[]
  hasHostKeys: boolean
}

/** Most findings of a kind that are listed. */
export const mostFindings = 200

export function newReport(
  { primary, heardAt, followedUntil }: Knowledge,
  {
    database,
    knowsMore,
    ...given
  }: Pick<Report, 'isDryRun' | 'pollSeconds' | 'database' | 'hasHostKeys'> & {
    /** Whether the database has changes of which the secondary has not heard. */
    knowsMore: boolean
  },
): Report {
  const { at } = database
  return {
    ...given,
    ...{ database, primaryUrl: primary.url, heardAt },
    followedUntil: !knowsMore && at !== null && at > followedUntil ? at : followedUntil,
    repositories: {},
    files: { there: 0, copied: 0, backup: 0, missing: 0 },
    findings: [],
  }
}

const secondsBetween = (from: string, to: string) => Math.max(0, Math.ceil((Date.parse(to) - Date.parse(from)) / 1000))

/** The last moment of which is known that the primary served. */
const lastKnown = ({ heardAt, database: { at } }: Report) => (at !== null && at > heardAt ? at : heardAt)

function* lossSentences(report: Report): Generator<string> {
  const { primaryUrl, heardAt, followedUntil, pollSeconds, database } = report
  const last = lastKnown(report)
  yield `The primary ${primaryUrl} was last heard of at ${heardAt}, by its clock.`
  if (database.at === null) yield `The database is ${database.from}. Its age is not known, so the loss is not known.`
  else {
    const seconds = secondsBetween(database.at, last)
    yield `The database is ${database.from}, of ${database.at}.`
    yield `Lost of the database: ${seconds} s. What users, issues, merge requests, pipelines and tokens became in that time is gone.`
  }
  yield `The copies follow the primary up to ${followedUntil}.`
  yield `Lost of repositories and files: ${secondsBetween(followedUntil, last)} s, and what is named below.`
  yield `Lost besides: what the primary did after ${last}, which is not known; it was asked every ${pollSeconds} s while it could be reached.`
}

const repositoryWords: Record<Origin, string> = {
  copy: 'from the copies',
  'newer copy': 'from the copies, with refs newer than the database',
  'older copy': 'from the copies, with refs older than the database, or damaged',
  backup: 'from the backup',
  empty: 'empty',
  nowhere: 'missing',
}

function countsOf(report: Report): string[] {
  const { repositories, files } = report
  const ofRepositories = Object.entries(repositoryWords).flatMap(([origin, words]) => {
    const count = repositories[origin as Origin] ?? 0
    return count === 0 ? [] : [`${count} ${words}`]
  })
  const { there, copied, backup, missing } = files
  return [
    `Repositories: ${ofRepositories.join('; ') || 'none'}.`,
    `Uploads, LFS objects, package files, secure files, sites and parts of images: ${there} in place, ${copied} from the copies, ${backup} from the backup, ${missing} missing.`,
  ]
}

const otherFiles = ({ database }: Report) =>
  database.isBackup
    ? 'Other files, such as artifacts and logs of jobs, are those of the backup.'
    : 'Other files, such as artifacts and logs of jobs, are not copied by a secondary: fennec check names those that are missing.'

function nextSteps({ hasHostKeys }: Report): string[] {
  return [
    ...(hasHostKeys
      ? []
      : [
          'No SSH host keys are here: where the primary served SSH, place its own in ssh/ of the data folder, or clients refuse the new ones.',
        ]),
    'Next: start the server without FENNEC_GEO_ROLE, with FENNEC_DATABASE_URL as it was given to --database. Then run: fennec check',
    'The former primary must not serve again: it gets a message as soon as this server reaches it. Do not start it before.',
  ]
}

/** The report in plain sentences. */
export function sentencesOf(report: Report): string[] {
  const { isDryRun, findings } = report
  return [
    isDryRun ? 'Nothing was changed. A promotion now would do this:' : 'This server is the primary now.',
    ...lossSentences(report),
    ...countsOf(report),
    otherFiles(report),
    ...findings,
    ...(isDryRun ? [] : nextSteps(report)),
  ]
}
