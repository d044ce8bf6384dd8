import { computed, forms, nullable, object, of, Type } from '../../api/index.ts'
import { RangeEnd } from '../notes/index.ts'
import type { DraftNoteRow } from './tables.ts'

const DraftPosition = Type.Object(
  {
    base_sha: forms.nullableString,
    start_sha: forms.nullableString,
    head_sha: forms.nullableString,
    old_path: forms.nullableString,
    new_path: forms.nullableString,
    position_type: Type.String(),
    old_line: forms.nullableInteger,
    new_line: forms.nullableInteger,
    line_range: nullable(Type.Object({ start: RangeEnd, end: RangeEnd })),
  },
  { title: 'DraftNotePosition' },
)

const noPosition = {
  ...{ base_sha: null, start_sha: null, head_sha: null, old_path: null, new_path: null },
  ...{ position_type: 'text', old_line: null, new_line: null, line_range: null },
}

/** A draft with the id that its thread has in the API. */
export type ShownDraft = DraftNoteRow & { threadId: string | null }

/** A draft of a note (contract 26.2, DraftNote). */
export const DraftNote = object('DraftNote', of<ShownDraft>(), {
  id: forms.id,
  author_id: forms.id,
  merge_request_id: forms.id,
  resolve_discussion: Type.Boolean(),
  discussion_id: computed(forms.nullableString, ({ threadId }) => threadId),
  note: Type.String(),
  commit_id: forms.nullableString,
  line_code: forms.nullableString,
  position: computed(DraftPosition, ({ position }) => (position ? { ...noPosition, ...position } : noPosition)),
})
