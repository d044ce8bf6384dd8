import { invalid } from '../../../api/index.ts'
import type { RunnerRow } from '../tables.ts'

/** The attributes that have rules. */
export type RunnerDraft = Pick<
  RunnerRow,
  'description' | 'maintenance_note' | 'maximum_timeout' | 'run_untagged' | 'tag_list'
>

const longestText = 1024
const mostTags = 50
const longestTag = 255
const shortestTimeoutSeconds = 600

function lengthProblems(text: string | null): string[] {
  return [...(text ?? '')].length > longestText ? [`is too long (maximum is ${longestText} characters)`] : []
}

function tagProblems({ tag_list: tags, run_untagged }: RunnerDraft): string[] {
  if (tags.length === 0 && !run_untagged) return ['can not be empty when runner is not allowed to pick untagged jobs']
  if (tags.length > mostTags) return [`Too many tags specified. Please limit the number of tags to ${mostTags}`]
  if (tags.some((tag) => tag.length > longestTag)) return [`is too long (maximum is ${longestTag} characters)`]
  return []
}

/** Checks the rules of contract 04, x.runner_create. @throws ApiError 400, form C */
export function requireValidRunner(draft: RunnerDraft): void {
  const { maximum_timeout: timeout } = draft
  const problems = {
    description: lengthProblems(draft.description),
    maintenance_note: lengthProblems(draft.maintenance_note),
    maximum_timeout: timeout !== null && timeout < shortestTimeoutSeconds ? ['needs to be at least 10 minutes'] : [],
    tags_list: tagProblems(draft),
  }
  const found = Object.entries(problems).filter(([, texts]) => texts.length > 0)
  if (found.length > 0) throw invalid(Object.fromEntries(found))
}

/** Tags as they are stored: each once, without blanks around it. */
export function cleanTags(tags: readonly string[]): string[] {
  return [...new Set(tags.map((tag) => tag.trim()).filter((tag) => tag !== ''))]
}
