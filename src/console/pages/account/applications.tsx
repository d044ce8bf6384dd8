import { authorizedApplicationsDelete, authorizedApplicationsList } from '../../operations.ts'
import { page } from '../../page.ts'
import { Do } from '../../parts/form.tsx'
import { Empty, Pages, Time } from '../../parts/parts.tsx'

/** The applications that the caller has authorised. */
export const applications = page({
  at: 'instance',
  path: 'profile/applications',
  nav: { section: 'Account', label: 'Applications', operation: authorizedApplicationsList },
  performs: [authorizedApplicationsDelete],
  async show(visit) {
    const found = await visit.read(authorizedApplicationsList, { page: visit.number })
    return {
      title: 'Authorised applications',
      body: (
        <>
          {found.items.length === 0 && (
            <Empty title="You have authorised no application.">An application asks you when you sign in there.</Empty>
          )}
          <ul class="rows">
            {found.items.map(({ id, application_name: name, scopes, updated_at: at }) => (
              <li>
                <div class="grow">
                  <b>{name}</b>
                  <p class="sub">
                    {scopes.join(', ')} · allowed <Time at={at} />
                  </p>
                </div>
                <Do visit={visit} performs={authorizedApplicationsDelete} call={{ authorization_id: id }} kind="danger">
                  Revoke
                </Do>
              </li>
            ))}
          </ul>
          <Pages path={visit.path} page={visit.number} of={found} />
        </>
      ),
    }
  },
})
