import { forbidden, isAdministrator, requireSignedIn } from '../../../api/index.ts'
import { named } from '../../operations.ts'
import { page } from '../../page.ts'
import { lookPath } from '../../sign-in/look.ts'

const usersGet = named('users.get')

/** Asks before an administrator looks at the pages as a user sees them. */
export const look = page({
  at: 'instance',
  path: 'admin/users/:id/look',
  async show(visit) {
    const { id = '' } = visit.params
    requireSignedIn(visit.actor)
    if (!isAdministrator(visit.actor)) throw forbidden()
    const user = (await visit.read(usersGet, { id })) as { id: number; name: string; is_admin?: boolean }
    return {
      title: `Look as ${user.name}`,
      crumbs: [
        ['Users', '/admin/users'],
        [user.name, `/admin/users/${id}`],
      ],
      body: user.is_admin ? (
        <p class="lead">{user.name} is an administrator. The pages are not shown as an administrator sees them.</p>
      ) : (
        <div class="derived">
          <p class="lead">
            You will see all pages as {user.name} sees them. Nothing can be changed meanwhile, the pages of the account
            are not shown, and the beginning and the end are recorded in the audit trail.
          </p>
          <form method="post" action={lookPath}>
            <input type="hidden" name="user_id" value={user.id} />
            <button class="primary">Look as {user.name}</button>
          </form>
        </div>
      ),
    }
  },
})
