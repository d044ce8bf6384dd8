import type { CallOf } from '../../../../api/index.ts'
import { schemaOf } from '../../../forms/schema.ts'
import { type ItemOf, todosAllDone, todosDone, todosList } from '../../../operations.ts'
import { page, type Visit } from '../../../page.ts'
import { pathOfUrl } from '../../../parts/discussion/index.ts'
import { Do } from '../../../parts/form.tsx'
import { Avatar, Empty, Pages, Time, Title } from '../../../parts/parts.tsx'
import { wordOf } from '../../../parts/words.ts'
import { Tabs } from '../filter-bar.tsx'
import { given } from '../places.ts'

type Todo = ItemOf<typeof todosList>

const reasons: Readonly<Record<string, string>> = {
  assigned: 'assigned you',
  mentioned: 'mentioned you',
  directly_addressed: 'addressed you',
  marked: 'added a to-do',
  build_failed: 'caused a failed pipeline',
  approval_required: 'asks for your approval',
  unmergeable: 'opened what cannot be merged',
  review_requested: 'asks for your review',
}

function Row({ visit, todo }: { visit: Visit; todo: Todo }) {
  const { author, project, action_name: action, body, created_at: at, state, target_type: type } = todo
  const isOwn = author.id === visit.me?.id
  return (
    <li>
      <Avatar name={author.name} />
      <div class="grow">
        <a class="strong" href={pathOfUrl(todo.target_url)}>
          <Title text={body} />
        </a>
        <p class="sub">
          {isOwn ? 'You' : author.name} {reasons[action] ?? wordOf('action', action)} · {wordOf('type', type)}
          {project && ` · ${project.path_with_namespace}`} · <Time at={at} />
        </p>
      </div>
      {state === 'pending' && (
        <Do visit={visit} performs={todosDone} call={{ todo_id: todo.id }}>
          Done<span class="hidden">: {body}</span>
        </Do>
      )}
    </li>
  )
}

const filters = ['action', 'type'] as const
const types = ['Issue', 'MergeRequest', 'Epic', 'Commit']

/** What the caller is asked to look at. */
export const todos = page({
  at: 'instance',
  path: 'dashboard/todos',
  nav: { section: '', label: 'To-do list', operation: todosList },
  performs: [todosDone, todosAllDone],
  async show(visit) {
    const state = visit.query.state === 'done' ? 'done' : 'pending'
    const call = { state, page: visit.number, ...given(visit.query, filters) }
    const found = await visit.read(todosList, call as CallOf<typeof todosList>)
    const values = { action: schemaOf(todosList.params?.action?.schema).values ?? [], type: types }
    return {
      title: 'To-do list',
      actions: state === 'pending' && found.items.length > 0 && (
        <Do visit={visit} performs={todosAllDone}>
          Mark all as done
        </Do>
      ),
      body: (
        <div>
          <Tabs
            visit={visit}
            name="state"
            label="State"
            tabs={[
              { value: 'pending', label: 'To do', count: state === 'pending' ? found.total : undefined },
              { value: 'done', label: 'Done' },
            ]}
          />
          <form class="filter" method="get" action="/dashboard/todos" role="search" aria-label="This list">
            {state === 'done' && <input type="hidden" name="state" value="done" />}
            {filters.map((name) => (
              <select name={name} aria-label={wordOf('', name)}>
                <option value="">{wordOf('', name)}: any</option>
                {values[name].map((value) => (
                  <option value={value} selected={visit.query[name] === value}>
                    {wordOf(name, value)}
                  </option>
                ))}
              </select>
            ))}
            <button>Filter</button>
          </form>
          {found.items.length === 0 ? (
            <Empty title={state === 'done' ? 'Nothing is done yet.' : 'Nothing to do.'}>
              <p>What you are assigned to, asked to review or mentioned in appears here.</p>
            </Empty>
          ) : (
            <ul class="rows">
              {found.items.map((todo) => (
                <Row visit={visit} todo={todo} />
              ))}
            </ul>
          )}
          <Pages path={visit.path} page={visit.number} of={found} />
        </div>
      ),
    }
  },
})
