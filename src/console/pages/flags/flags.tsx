import type { AnswerOf } from '../../../api/index.ts'
import { addressOfPage } from '../../frame/addresses.ts'
import { featureFlagsCreate, featureFlagsList, featureFlagsPreview, featureFlagsUpdate } from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { Do, Field, Form } from '../../parts/form.tsx'
import { Empty } from '../../parts/parts.tsx'
import { at, atFlag } from './places.ts'

type Preview = AnswerOf<typeof featureFlagsPreview>[number]

const mostNamed = 5

/** For whom a flag is on, in words. */
function audienceOf({ active, strategies, percentage, users, users_count: count }: Preview): string {
  if (!active) return 'Switched off'
  if (strategies.length === 0) return 'Off: no strategy applies here'
  if (percentage === 100) return 'On for everyone'
  const named = users.slice(0, mostNamed).join(', ')
  const more = count > mostNamed ? ` and ${count - mostNamed} more` : ''
  const groups = [
    ...(percentage > 0 ? [`${percentage} % of all users`] : []),
    ...(count > 0 ? [`${named}${more}`] : []),
  ]
  return groups.length > 0 ? `On for ${groups.join(', and ')}` : 'On for no user'
}

/** What a user of the application sees. */
function Answer({ user, flag: { on, active, percentage } }: { user: string; flag: Preview }) {
  const byChance = active && on === null && percentage > 0
  return (
    <span class="tagged">
      {user}: {byChance ? 'by session or chance' : on ? 'on' : 'off'}
    </span>
  )
}

function Row({ visit, flag, mayChange }: { visit: Visit; flag: Preview; mayChange: boolean }) {
  const { name, active } = flag
  const { user } = visit.query
  const call = { id: visit.project.id, feature_flag_name: name, active: !active }
  return (
    <li>
      <div class="grow">
        <a class="strong" href={atFlag(visit, name)}>
          {name}
        </a>
        <p class="sub">{audienceOf(flag)}</p>
      </div>
      {user && <Answer user={user} flag={flag} />}
      {mayChange && (
        <Do visit={visit} performs={featureFlagsUpdate} form={name} call={call} kind="quiet">
          {active ? `Switch ${name} off` : `Switch ${name} on`}
        </Do>
      )}
    </li>
  )
}

/** Whose view is shown: the address has the environment and the user. */
function Asked({ visit: { query } }: { visit: Visit }) {
  return (
    <search class="filter-bar">
      <form class="filter" method="get">
        <input
          name="environment"
          value={query.environment ?? ''}
          placeholder="Environment"
          aria-label="Environment"
          maxlength={255}
        />
        <input
          name="user"
          value={query.user ?? ''}
          placeholder="User id"
          aria-label="User"
          title="The id that the application has for the user"
          maxlength={256}
        />
        <button>Show who sees what</button>
      </form>
    </search>
  )
}

/** The feature flags of a project, with those for whom they are on in an environment. */
export const flags = page({
  at: 'project',
  path: 'feature_flags',
  nav: { section: 'Deploy', label: 'Feature flags', operation: featureFlagsList },
  performs: [featureFlagsUpdate],
  async show(visit) {
    const { id } = visit.project
    const { environment, user } = visit.query
    const asked = { id, ...(environment && { environment }), ...(user && { user }) }
    const [found, mayChange, mayCreate] = await Promise.all([
      visit.read(featureFlagsPreview, asked),
      visit.may(featureFlagsUpdate, { id, feature_flag_name: '' }),
      visit.may(featureFlagsCreate, { id }),
    ])
    const lists = addressOfPage(visit, 'project', 'feature_flags_user_lists')
    return {
      title: 'Feature flags',
      actions: (
        <>
          <a class="button" href={at(visit, '/client')}>
            Connect an application
          </a>
          <a class="button" href={lists}>
            User lists
          </a>
          {mayCreate && (
            <a class="button primary" href={at(visit, '/new')}>
              New feature flag
            </a>
          )}
        </>
      ),
      body: (
        <div class="derived">
          <Asked visit={visit} />
          <p class="note-line">
            {environment ? (
              <>
                In the environment <code>{environment}</code>
              </>
            ) : (
              'In every environment: only strategies for * count'
            )}
          </p>
          {found.length === 0 && (
            <Empty title="No feature flags yet.">
              <p>
                An application asks for its flags while it runs, and shows what is behind them to some of its users.
              </p>
            </Empty>
          )}
          <ul class="rows">
            {found.map((flag) => (
              <Row visit={visit} flag={flag} mayChange={mayChange} />
            ))}
          </ul>
        </div>
      ),
    }
  },
})

/** The form for a new flag; its strategies are added on its own page. */
export const newFlag = page({
  at: 'project',
  path: 'feature_flags/new',
  performs: [featureFlagsCreate],
  async show(visit) {
    const { id } = visit.project
    return {
      title: 'New feature flag',
      crumbs: [['Feature flags', at(visit)]],
      body: (
        <Form visit={visit} performs={featureFlagsCreate} call={{ id }} then={at(visit, '/{name}')} class="stack">
          <Field
            visit={visit}
            operation={featureFlagsCreate}
            name="name"
            options={{ hint: 'Small letters, digits, - and _, as the application asks for it.' }}
          />
          <Field visit={visit} operation={featureFlagsCreate} name="description" />
          <button class="primary">Create the feature flag</button>
        </Form>
      ),
    }
  },
})
