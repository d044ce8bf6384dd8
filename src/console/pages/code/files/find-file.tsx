import { filesFind } from '../../../operations.ts'
import { page } from '../../../page.ts'
import { Empty, Icon, Pages } from '../../../parts/parts.tsx'
import { at, atPath, pathOf, stepsTo } from '../places.ts'

const filesOfPage = 30

/** Finds a file by letters of its path. With the script the list follows while one writes. */
export const findFile = page({
  at: 'project',
  path: 'find_file/*ref',
  under: 'tree',
  async show(visit) {
    const { ref = '' } = visit.params
    const { search = '' } = visit.query
    const { number } = visit
    const call = { id: visit.project.id, ref, search, page: number, per_page: filesOfPage }
    const found = await visit.read(filesFind, call)
    return {
      title: 'Find a file',
      crumbs: stepsTo(visit, { ref, path: '' }),
      body: (
        <div>
          <form class="finder" method="get" action={at(visit, `find_file/${pathOf(ref)}`)} role="search">
            <input
              type="search"
              name="search"
              value={search}
              aria-label="Letters of the path"
              placeholder="Letters of the path"
              autocomplete="off"
              spellcheck="false"
              autofocus
            />
            <button>Find</button>
          </form>
          <div class="found">
            {found.items.length === 0 ? (
              <Empty title="No file has such a path." />
            ) : (
              <ul class="rows">
                {found.items.map(({ path }) => (
                  <li>
                    <Icon name="file" />
                    <a class="grow path" href={atPath(visit, 'blob', ref, path)}>
                      {path}
                    </a>
                  </li>
                ))}
              </ul>
            )}
            <Pages path={visit.path} page={number} of={found} />
          </div>
        </div>
      ),
    }
  },
})
