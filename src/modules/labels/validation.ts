import { blank, lengthProblems } from '../../api/index.ts'

const longestTitle = 255

/** What is wrong with the title of a label, in its field (contract 17, x.label_create). */
export function titleProblems(title: string): string[] {
  if (title.trim() === '') return [blank, 'is invalid']
  return [...(title.includes(',') ? ['is invalid'] : []), ...lengthProblems(title, longestTitle)]
}
