import { type ItemOf, sessionsDelete, sessionsList, userGet } from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { browserName } from '../../parts/browsers.ts'
import { Do } from '../../parts/form.tsx'
import { Pages, Time } from '../../parts/parts.tsx'

function SessionRow({ visit, session }: { visit: Visit; session: ItemOf<typeof sessionsList> }) {
  return (
    <li>
      <div class="grow">
        <b title={session.user_agent ?? undefined}>{browserName(session.user_agent)}</b>
        <p class="sub">
          {session.ip} · last used <Time at={session.last_used_at} /> · signed in <Time at={session.created_at} />
        </p>
      </div>
      {session.current ? (
        <span class="tagged">this browser</span>
      ) : (
        <Do visit={visit} performs={sessionsDelete} call={{ session_id: session.id }} kind="quiet">
          Sign out
        </Do>
      )}
    </li>
  )
}

/** The account of the caller: who they are, and the browsers in which they are signed in. */
export const account = page({
  at: 'instance',
  path: 'profile',
  nav: { section: 'Account', label: 'Sessions', operation: userGet },
  performs: [sessionsDelete],
  async show(visit) {
    const found = await visit.read(sessionsList, { page: visit.number })
    return {
      title: 'Sessions',
      body: (
        <div>
          <p class="lead">The browsers in which you are signed in.</p>
          <ul class="rows">
            {found.items.map((session) => (
              <SessionRow visit={visit} session={session} />
            ))}
          </ul>
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})
