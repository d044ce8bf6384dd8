import { onlyProblems, type Problems, textProblems } from '../../api/index.ts'

const longestTitle = 255
const mebibyte = 1024 * 1024

/** The longest description, in bytes (contract 16, x.issue_create). */
export const longestDescription = mebibyte

function descriptionProblems(description: string): string[] {
  const bytes = Buffer.byteLength(description)
  if (bytes <= longestDescription) return []
  const size = (bytes / mebibyte).toPrecision(3).replace(/\.?0+$/, '')
  return [`is too long (${size} MiB). The maximum size is 1 MiB.`]
}

/** The problems of the title and the description of an issue or merge request (contract 16, x.issue_create). */
export function issuableTextProblems({
  title,
  description,
}: {
  title?: string | undefined
  description?: string | null | undefined
}): Problems {
  return onlyProblems({
    title: title === undefined ? [] : textProblems(title, longestTitle),
    description: description ? descriptionProblems(description) : [],
  })
}

/** The beginning of a title that is as long as titles may be. */
export const asTitle = (text: string): string => [...text.slice(0, 2 * longestTitle)].slice(0, longestTitle).join('')

/** The beginning of a description that is as long as descriptions may be, in whole characters. */
export function asDescription(text: string): string {
  if (Buffer.byteLength(text) <= longestDescription) return text
  // A character that is cut off at the end is left out while the decoder may expect more.
  return new TextDecoder().decode(Buffer.from(text).subarray(0, longestDescription), { stream: true })
}
