import { forms, pageOf, reading, type Static, Type } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { presentingUsers, presentUserBasic, UserBasic, usersByIds } from '../../users/index.ts'
import { requireAlert } from '../alerts/alerts.ts'
import { alertPath } from '../alerts/params.ts'
import { pageOfNotes } from './store.ts'

/** An entry of the activity of an alert (contract 07, AlertNote). */
const AlertNote = Type.Object(
  {
    id: forms.id,
    body: Type.String(),
    author: UserBasic,
    system: Type.Boolean({ description: 'Always true.' }),
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
  },
  { title: 'AlertNote' },
)

export const alertNotesList = operation({
  tag: 'Alerts',
  subject: project,
  allow: 'read_alerts',
  scopes: reading,
  id: 'alert_notes.list',
  contract: 'x.alert_notes',
  method: 'GET',
  path: '/projects/:id/alert_management_alerts/:alert_iid/notes',
  summary: 'List the activity of an alert',
  params: alertPath,
  result: [200, pageOf(AlertNote)],
  async run({ platform, subject, params, page }) {
    const db = platform.database.read
    const alert = await requireAlert(db, subject, params.alert_iid)
    const found = await pageOfNotes(db, alert.id, page)
    const authorIds = found.items.map(({ author_id: id }) => id)
    const [authors, presenting] = await Promise.all([usersByIds(db, authorIds), presentingUsers(platform)])
    const items = found.items.flatMap(
      ({ author_id: authorId, alert_id: _alert, ...shown }): Static<typeof AlertNote>[] => {
        const author = authors.get(authorId)
        return author ? [{ ...shown, author: presentUserBasic(author, presenting), system: true }] : []
      },
    )
    return { ...found, items }
  },
})
