import type { Problem } from './state.ts'

/** What an import has done. */
export type ImportReport = {
  source: string
  target: string
  started_at: string
  ended_at: string
  /** How many of each kind are here, those of earlier runs included. */
  brought: Record<string, number>
  problems: Problem[]
  /** What no import brings. */
  never_brought: string[]
}

/** The first words of the keys of the state, and what they count. */
export const kinds: Readonly<Record<string, string>> = {
  group: 'groups',
  project: 'projects',
  label: 'labels',
  milestone: 'milestones',
  member: 'members',
  merge_request: 'merge requests',
  issue: 'issues',
  note: 'comments',
  release: 'releases',
  snippet: 'snippets',
  variable: 'variables',
  schedule: 'pipeline schedules',
  image: 'images',
  lfs: 'large files',
  upload: 'attached files',
  custom_attribute: 'custom attributes',
}

/** What the API of a server does not let be written, or not with its author and time. */
export const neverBrought = [
  'The numbers of merge requests cannot be chosen: they are the same as long as at most 1000 in a row are free at the source.',
  'The times of merge requests, snippets, labels and milestones are those of the import; the texts of merge requests and snippets say when they were written.',
  'Records of changes (system notes), reactions, to-dos, links between issues, boards, epics, iterations and shares with groups are not brought.',
  'Activity events are not brought: the API has no operation that writes them. What the import writes has events of its own.',
  'Pipelines, jobs, artifacts, packages, environments, deployments, webhooks, integrations, runners, tokens, keys and hidden variables are not brought.',
]

/** The report for people. */
export function reportText({ brought, problems, never_brought }: ImportReport): string {
  const counts = Object.entries(brought).flatMap(([kind, count]) =>
    count > 0 ? [`  ${String(count).padStart(8)}  ${kind}`] : [],
  )
  const lines = ['', 'Brought:', ...(counts.length > 0 ? counts : ['  nothing']), '']
  if (problems.length === 0) lines.push('Everything that can be brought is here.', '')
  for (const [place, found] of Map.groupBy(problems, (problem) => problem.place)) {
    lines.push(`Not brought, or not as it was, of ${shown(place)}:`)
    lines.push(...found.map(({ what, reason }) => `  ${shown(what)}: ${shown(reason)}.`), '')
  }
  lines.push('Never brought:', ...never_brought.map((line) => `  ${line}`), '')
  return lines.join('\n')
}

const longest = 500

/** Names and reasons come from a server: control characters would change the terminal. */
const shown = (text: string) => text.replaceAll(/\p{Cc}+/gu, ' ').slice(0, longest)
