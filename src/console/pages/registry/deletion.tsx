import { ApiError } from '../../../api/index.ts'
import { problemOf } from '../../forms/values.ts'
import { projectRegistryDeleteTags, projectRegistryPreviewDeletion } from '../../operations.ts'
import { numberIn, page, type Visit } from '../../page.ts'
import { Field, Form } from '../../parts/form.tsx'
import { Empty, Pages, withQuery } from '../../parts/parts.tsx'
import { Refusal } from '../../parts/refusal.tsx'
import { at } from './places.ts'
import { Tags } from './repository.tsx'

const labels = {
  name_regex_delete: 'Delete tags that match',
  name_regex_keep: 'Keep tags that match',
  keep_n: 'Keep so many of the newest',
  older_than: 'Older than',
} as const

const names = Object.keys(labels) as (keyof typeof labels)[]

/** The parameters of the deletion that the address has. */
const chosenIn = ({ query }: Visit) =>
  Object.fromEntries(names.flatMap((name) => (query[name] ? [[name, query[name]]] : [])))

const callOf = (visit: Visit) => ({ id: visit.project.id, repository_id: numberIn(visit, 'repository') })

/** What would go by the parameters of the address, or the visit with what is wrong with them. */
async function preview(visit: Visit) {
  const chosen = chosenIn(visit)
  if (!chosen.name_regex_delete) return { visit, found: null }
  try {
    const call = { ...callOf(visit), ...chosen, page: visit.number }
    return { visit, found: await visit.read(projectRegistryPreviewDeletion, call as never) }
  } catch (error) {
    if (!(error instanceof ApiError) || ![400, 422].includes(error.status)) throw error
    const refused = { operation: projectRegistryPreviewDeletion.id, values: chosen, ...problemOf(error) }
    return { visit: { ...visit, refused }, found: null }
  }
}

/** The rules of the deletion: a form whose fields become the address of the preview. */
function Rules({ visit }: { visit: Visit }) {
  return (
    <form method="get" class="stack">
      <Refusal visit={visit} of={projectRegistryPreviewDeletion} />
      {names.map((name) => (
        <Field
          visit={visit}
          operation={projectRegistryPreviewDeletion}
          name={name}
          options={{ label: labels[name], value: visit.query[name] }}
        />
      ))}
      <button>Show what would be deleted</button>
    </form>
  )
}

const tagsIn = (count: number) => (count === 1 ? '1 tag' : `${count} tags`)

/** The operation tells no end: tags that were published again, or that a failed run has left, would be waited for forever. */
const mostReadings = 40

/** How often the page was read since the deletion began; null while there is none. */
function readingsOf({ query: { running } }: Visit): number | null {
  return running !== undefined && /^\d{1,3}$/.test(running) ? Math.max(1, Number(running)) : null
}

/** What is left while tags go. */
function Progress({ visit, total, isOver }: { visit: Visit; total: number; isOver: boolean }) {
  return (
    <p class="note-line" role="status">
      {total === 0 && 'The tags are deleted.'}
      {total > 0 && !isOver && `The tags are being deleted: ${tagsIn(total)} left.`}
      {total > 0 && isOver && (
        <>
          {tagsIn(total)} left. The deletion takes long, or has ended without them.{' '}
          <a href={withQuery(visit.path, { running: 1 })}>Look again</a>
        </>
      )}
    </p>
  )
}

/** Tags are chosen by expressions, shown, and then deleted. While they go, the page shows how many are left. */
export const deletion = page({
  at: 'project',
  path: 'container_registry/:repository/deletion',
  performs: [projectRegistryDeleteTags],
  async show(asked) {
    const { visit, found } = await preview(asked)
    const [total, readings] = [found?.total ?? 0, readingsOf(asked)]
    const isRunning = readings !== null
    const isOver = isRunning && readings >= mostReadings
    const address = at(visit, `/${numberIn(visit, 'repository')}`)
    return {
      title: 'Delete tags',
      crumbs: [
        ['Container registry', at(visit)],
        ['Tags', address],
      ],
      refreshes: isRunning && !isOver && total > 0 && { next: withQuery(asked.path, { running: readings + 1 }) },
      body: (
        <div class="derived">
          {isRunning && found && <Progress visit={asked} total={total} isOver={isOver} />}
          {total === 0 && <Refusal visit={visit} of={projectRegistryDeleteTags} />}
          {!isRunning && <Rules visit={visit} />}
          {found && !isRunning && (
            <section>
              <h2>{total === 0 ? 'Nothing would be deleted' : `${tagsIn(total)} would be deleted, oldest first`}</h2>
              {total === 0 && <Empty title="No tag matches. The tag latest is never deleted." />}
            </section>
          )}
          {found && total > 0 && <Tags visit={visit} tags={found.items} />}
          {found && <Pages path={visit.path} page={visit.number} of={found} />}
          {found && total > 0 && !isRunning && (
            <Form
              visit={visit}
              performs={projectRegistryDeleteTags}
              call={{ ...callOf(visit), ...chosenIn(visit) }}
              then={withQuery(visit.path, { running: 1, page: null })}
            >
              <button class="danger">Delete {tagsIn(total)}</button>
            </Form>
          )}
        </div>
      ),
    }
  },
})
