import { type ParamValues, t } from '../../../api/index.ts'
import { noteBody } from '../discussions/params.ts'

/** Parameters of x.commits_comment_create. */
export const newComment = {
  note: t.required(noteBody),
  path: t.string({ description: 'A file that the commit changes.' }),
  line: t.integer({ description: 'Number of the line; required with `path`.' }),
  line_type: t.oneOf(['new', 'old'], { description: 'Whether the line was added or removed; required with `path`.' }),
}
export type NewComment = ParamValues<typeof newComment>
