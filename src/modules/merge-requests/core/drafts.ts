/** What marks a draft at the beginning of a title (contract 19, `draft`). */
const mark = /^\s*(?:draft:|\[draft\]|\(draft\))\s*/i

/** Whether a title marks a draft. */
export const isDraft = (title: string): boolean => mark.test(title)

/** The title of a draft. */
export const asDraft = (title: string): string => (isDraft(title) ? title : `Draft: ${title}`)

/** The title without the mark of a draft. */
export const withoutDraftMark = (title: string): string => title.replace(mark, '')
