import type { AnswerOf } from '../../../api/index.ts'
import type { Child } from '../../html/index.ts'
import { featureFlagsDelete, featureFlagsGet, featureFlagsUpdate, featureFlagUserListsList } from '../../operations.ts'
import { page, type Visit } from '../../page.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { Do, Field, Form } from '../../parts/form.tsx'
import { Empty, Time } from '../../parts/parts.tsx'
import { at } from './places.ts'

type Flag = AnswerOf<typeof featureFlagsGet>
type Strategy = Flag['strategies'][number]

const callOf = (visit: Visit, { name }: Pick<Flag, 'name'>) => ({ id: visit.project.id, feature_flag_name: name })

/** For whom a strategy is, in words. */
function audienceOf({ name, parameters, user_list }: Strategy): string {
  const { userIds = '', percentage, rollout, stickiness } = parameters
  if (name === 'default') return 'Everyone'
  if (name === 'gitlabUserList') return `The users of the list “${user_list?.name ?? ''}”`
  if (name === 'userWithId') return `The users ${userIds.split(',').join(', ')}`
  const by = stickiness && stickiness !== 'default' ? `, by ${stickiness}` : ''
  return `${rollout ?? percentage} % of all users${by}`
}

function Row({
  visit,
  flag,
  strategy,
  mayChange,
}: {
  visit: Visit
  flag: Flag
  strategy: Strategy
  mayChange: boolean
}) {
  const scopes = strategy.scopes.map(({ environment_scope: scope }) => scope)
  const call = { ...callOf(visit, flag), 'strategies[0][id]': strategy.id, 'strategies[0][_destroy]': true }
  return (
    <li>
      <div class="grow">
        <span class="strong">{audienceOf(strategy)}</span>
        <p class="sub">{scopes.length === 0 ? 'In no environment' : `In ${scopes.join(', ')}`}</p>
      </div>
      {mayChange && (
        <Do visit={visit} performs={featureFlagsUpdate} form={`remove-${strategy.id}`} call={call} kind="quiet">
          Remove
        </Do>
      )}
    </li>
  )
}

type Input = {
  name: string
  label: string
  hint?: string
  value?: string
  list?: readonly (readonly [string, string])[]
}

/** The kinds of strategies, with what each asks for. */
const kinds: Readonly<Record<string, { label: string; inputs: readonly Input[] }>> = {
  default: { label: 'Everyone', inputs: [] },
  userWithId: {
    label: 'Users by their ids',
    inputs: [{ name: 'parameters][userIds', label: 'Ids', hint: 'Of users in the application, joined by commas.' }],
  },
  flexibleRollout: {
    label: 'A share of users',
    inputs: [
      { name: 'parameters][rollout', label: 'Percent', value: '50' },
      {
        name: 'parameters][groupId',
        label: 'Group',
        value: 'default',
        hint: 'Flags of one group choose the same users.',
      },
      {
        name: 'parameters][stickiness',
        label: 'Chosen by',
        list: ['default', 'userId', 'sessionId', 'random'].map((value) => [value, value] as const),
      },
    ],
  },
}

function InputOf({ kind, input: { name, label, hint, value = '', list } }: { kind: string; input: Input }) {
  const id = `${kind}-${name.replace(/\W+/g, '-')}`
  const shared = { id, name: `strategies[0][${name}]` }
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {list ? (
        <select {...shared}>
          {list.map(([one, text]) => (
            <option value={one}>{text}</option>
          ))}
        </select>
      ) : (
        <input {...shared} value={value} required />
      )}
      {hint && <small>{hint}</small>}
    </div>
  )
}

/** Where there are more lists than fit into a choice, those are offered whose names have these words: the address has them. */
function ListSearch({ visit, count }: { visit: Visit; count: number }) {
  return (
    <form class="filter" method="get" role="search">
      <input
        type="search"
        name="lists"
        value={visit.query.lists ?? ''}
        placeholder="Words in its name"
        aria-label="Search user lists"
      />
      <button>Search</button>
      <span class="soft">{count === 0 ? 'No list matches.' : `The first ${count} are offered.`}</span>
    </form>
  )
}

type AddingProps = {
  visit: Visit
  flag: Flag
  kind: string
  lists?: Input['list']
  /** Above the form. */
  before?: Child
  isOpen?: boolean
}

/** The form that adds a strategy of a kind. */
function Adding({ visit, flag, kind, lists, before, isOpen = false }: AddingProps) {
  const ofList: Input = { name: 'user_list_id', label: 'List', ...(lists && { list: lists }) }
  const { label, inputs } = kinds[kind] ?? { label: 'The users of a list', inputs: [ofList] }
  const hasParameters = inputs.some(({ name }) => name.startsWith('parameters'))
  const call = {
    ...callOf(visit, flag),
    'strategies[0][name]': kind,
    ...(hasParameters ? {} : { 'strategies[0][parameters]': '{}' }),
  }
  const scope: Input = {
    name: 'scopes][0][environment_scope',
    label: 'Environment',
    value: '*',
    hint: '* is any text: review/*',
  }
  return (
    <details class="more" open={isOpen || visit.refused?.form === `add-${kind}`}>
      <summary>{label}</summary>
      {before}
      <Form visit={visit} performs={featureFlagsUpdate} form={`add-${kind}`} call={call} class="stack">
        {[...inputs, scope].map((input) => (
          <InputOf kind={kind} input={input} />
        ))}
        <button>Add the strategy</button>
      </Form>
    </details>
  )
}

/** The form that adds a strategy for the users of a list. */
function AddingList({
  visit,
  flag,
  found,
}: {
  visit: Visit
  flag: Flag
  found: AnswerOf<typeof featureFlagUserListsList>
}) {
  const isSearched = visit.query.lists !== undefined
  if (found.items.length === 0 && !isSearched) return <></>
  const choices = found.items.map((list) => [String(list.id), list.name] as const)
  const search = (isSearched || found.hasNext) && <ListSearch visit={visit} count={choices.length} />
  return <Adding visit={visit} flag={flag} kind="gitlabUserList" lists={choices} before={search} isOpen={isSearched} />
}

function Change({ visit, flag }: { visit: Visit; flag: Flag }) {
  const { name, active, description } = flag
  return (
    <section>
      <Do
        visit={visit}
        performs={featureFlagsUpdate}
        form="switch"
        call={{ ...callOf(visit, flag), active: !active }}
        kind="primary"
      >
        {active ? 'Switch off everywhere' : 'Switch on'}
      </Do>
      <Form
        visit={visit}
        performs={featureFlagsUpdate}
        form="names"
        call={callOf(visit, flag)}
        then={at(visit, '/{name}')}
        class="stack"
      >
        <Field visit={visit} operation={featureFlagsUpdate} name="name" options={{ value: name }} />
        <Field visit={visit} operation={featureFlagsUpdate} name="description" options={{ value: description }} />
        <button>Save</button>
      </Form>
      <Confirm label="Delete" question={`Applications get “${name}” as off once it is deleted.`}>
        <Do visit={visit} performs={featureFlagsDelete} call={callOf(visit, flag)} then={at(visit)} kind="danger">
          Delete the feature flag
        </Do>
      </Confirm>
    </section>
  )
}

const listsOfChoice = 100

/** One feature flag: its strategies, and the forms that change it. */
export const flag = page({
  at: 'project',
  path: 'feature_flags/:feature_flag_name',
  performs: [featureFlagsUpdate, featureFlagsDelete],
  async show(visit) {
    const { id } = visit.project
    const name = visit.params.feature_flag_name ?? ''
    const [found, mayChange, lists] = await Promise.all([
      visit.read(featureFlagsGet, { id, feature_flag_name: name }),
      visit.may(featureFlagsUpdate, { id, feature_flag_name: name }),
      visit.read(featureFlagUserListsList, { id, per_page: listsOfChoice, search: visit.query.lists }),
    ])
    return {
      title: found.name,
      crumbs: [['Feature flags', at(visit)]],
      body: (
        <div class="derived">
          <p class="by">
            <span class="tagged">{found.active ? 'on' : 'off'}</span>
            <span class="soft">
              {found.description ?? ''} Changed <Time at={found.updated_at} />
            </span>
          </p>
          <section>
            <h2>For whom</h2>
            {found.strategies.length === 0 && (
              <Empty title="No strategies yet.">
                <p>The flag is off for all until a strategy says for whom it is on.</p>
              </Empty>
            )}
            <ul class="rows">
              {found.strategies.map((strategy) => (
                <Row visit={visit} flag={found} strategy={strategy} mayChange={mayChange} />
              ))}
            </ul>
            {mayChange && (
              <>
                <h3>Add a strategy</h3>
                {Object.keys(kinds).map((kind) => (
                  <Adding visit={visit} flag={found} kind={kind} />
                ))}
                <AddingList visit={visit} flag={found} found={lists} />
              </>
            )}
          </section>
          {mayChange && <Change visit={visit} flag={found} />}
        </div>
      ),
    }
  },
})
