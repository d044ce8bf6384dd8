import { blank, dayOfField, failure, lengthProblems, onlyProblems, type Problems } from '../../api/index.ts'
import type { MilestoneRow } from './tables.ts'

const longestTitle = 255

export const titleUsed = 'already being used for another group or project milestone.'

/** The members of a milestone that rules look at. */
export type MilestoneDraft = Pick<MilestoneRow, 'title' | 'start_date' | 'due_date'>

/** What is wrong with a milestone, by field (contract 17, x.milestone_create). */
export function problemsOf({ title, start_date, due_date }: MilestoneDraft): Problems {
  const isReversed = start_date !== null && due_date !== null && due_date < start_date
  return onlyProblems({
    title: title === '' ? [blank] : lengthProblems(title, longestTitle),
    due_date: isReversed ? ['must be greater than start date'] : [],
  })
}

/** 400 with the problems as clients know them: a Ruby hash. */
export function milestoneFailure(verb: 'create' | 'update', problems: Problems) {
  const fields = Object.entries(problems).map(
    ([name, sentences]) => `:${name}=>[${sentences.map((sentence) => `"${sentence}"`).join(', ')}]`,
  )
  return failure(400, `Failed to ${verb} milestone {${fields.join(', ')}}`)
}

/** A date parameter: null clears it, undefined leaves it. @throws ApiError 400 when it is no date */
export function dayIn(name: 'start_date' | 'due_date', text: string | null | undefined): string | null | undefined {
  return typeof text === 'string' ? dayOfField(name, text) : text
}
