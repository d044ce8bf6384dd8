import { blank, lengthProblems, type Problems, refuse } from '../../../api/index.ts'
import { parseColor } from '../colors/colors.ts'
import type { LabelChanges } from './params.ts'

const longestTitle = 255
const longestDescription = 4096

/** What is wrong with the title of a label (contract 17, x.label_create). */
export function titleProblems(title: string): string[] {
  if (title.trim() === '') return [blank, 'is invalid']
  return [...(title.includes(',') ? ['is invalid'] : []), ...lengthProblems(title, longestTitle)]
}

const priorityProblems = (priority: number | null | undefined) =>
  (priority ?? 0) < 0 ? ['must be greater than or equal to 0'] : []

/**
 * Checks the members of a label that are given.
 * @returns the title without white space around it, the colour with six digits
 * @throws ApiError 400, form C
 */
export function validated({ new_name, color, description, priority }: LabelChanges) {
  const title = new_name?.trim()
  const parsed = color === undefined ? undefined : parseColor(color)
  const problems: Problems = {
    title: title === undefined ? [] : titleProblems(title),
    color: parsed === null ? ['must be a valid color code'] : [],
    description: lengthProblems(description ?? '', longestDescription),
    priority: priorityProblems(priority),
  }
  refuse(problems)
  return {
    ...(title !== undefined && { title }),
    ...(parsed && { color: parsed }),
    ...(description !== undefined && { description }),
  }
}
