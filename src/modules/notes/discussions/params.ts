import { t } from '../../../api/index.ts'

/** The text of a note. */
export const noteBody = t.string({ description: 'Markdown; up to 1,000,000 characters.' })
