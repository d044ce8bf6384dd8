import type { Commit } from '../../../infra/git/index.ts'
import type { MergeRequestRow } from '../tables.ts'

/** What messages of merges can name (contract 19, "Default merge message"). */
export type MessageFacts = {
  row: Pick<MergeRequestRow, 'title' | 'description' | 'source_branch' | 'target_branch'>
  /** `group/project!1` */
  reference: string
  url: string
  /** `#1`, or `group/project#1` for other projects. */
  closes: readonly string[]
  mergedBy: Person
  approvedBy: readonly Person[]
  /** Newest first. */
  commits: readonly Commit[]
}

type Person = { name: string; email: string }

const shown = ({ name, email }: Person) => `${name} <${email}>`

const closing = (issues: readonly string[]) => (issues.length === 0 ? '' : `Closes ${issues.join(', ')}`)

/** The authors of the commits besides the merger, as trailers. */
function coAuthors({ commits, mergedBy }: MessageFacts): string {
  const authors = commits.map(({ author }) => shown(author)).filter((author) => author !== shown(mergedBy))
  return [...new Set(authors)].map((author) => `Co-authored-by: ${author}`).join('\n')
}

const variables: Record<string, (facts: MessageFacts) => string> = {
  source_branch: ({ row }) => row.source_branch,
  target_branch: ({ row }) => row.target_branch,
  title: ({ row }) => row.title,
  description: ({ row }) => row.description ?? '',
  issues: ({ closes }) => closing(closes),
  reference: ({ reference }) => reference,
  first_commit: ({ commits }) => commits.at(-1)?.message.trim() ?? '',
  url: ({ url }) => url,
  merged_by: ({ mergedBy }) => shown(mergedBy),
  approved_by: ({ approvedBy }) => approvedBy.map((person) => `Approved-by: ${shown(person)}`).join('\n'),
  co_authored_by: coAuthors,
}

/** A message from a template of the project. A line that consists of an empty variable is left out. */
export function fromTemplate(template: string, facts: MessageFacts): string {
  const pattern = /%\{(\w+)\}/g
  const lines = template.split('\n').flatMap((line) => {
    const only = /^%\{(\w+)\}$/.exec(line.trim())?.[1]
    const text = line.replace(pattern, (written, name: string) => variables[name]?.(facts) ?? written)
    return only && variables[only] && text.trim() === '' ? [] : [text]
  })
  return lines
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}

/** The message of a merge commit without a template. */
export function mergeMessage({ row, reference, closes }: MessageFacts): string {
  const parts = [
    `Merge branch '${row.source_branch}' into '${row.target_branch}'`,
    row.title,
    closing(closes),
    `See merge request ${reference}`,
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}
