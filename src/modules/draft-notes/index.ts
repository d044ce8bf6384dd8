import type { Module } from '../../platform/index.ts'
import * as operations from './operations.ts'

export {
  draftNotesCreate,
  draftNotesDelete,
  draftNotesList,
  draftNotesPublish,
  draftNotesPublishAll,
  draftNotesUpdate,
} from './operations.ts'

/** Notes on merge requests that only their authors see until they publish them (contract 26.2). */
export const draftNotes: Module = {
  name: 'draft-notes',
  tags: { 'Draft notes': 'Notes on merge requests that only their authors see until they publish them.' },
  operations: Object.values(operations),
}
