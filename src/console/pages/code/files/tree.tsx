import { branchesList, commitsList, filesCreate, repositoryTree } from '../../../operations.ts'
import { page } from '../../../page.ts'
import { Pages } from '../../../parts/parts.tsx'
import { Downloads } from '../downloads.tsx'
import { CommitLine, FindFile, RefMenu, Tree } from '../pieces.tsx'
import { at, atPath, hasCommits, nameOf, pathOf, placeOf, stepsTo } from '../places.ts'
import { modulesOf, readmeOf } from './prose.tsx'

/** `tree` without a ref: the default branch. */
export const treeHome = page({
  at: 'project',
  path: 'tree',
  nav: { section: 'Code', label: 'Files', operation: repositoryTree, isFor: hasCommits },
  show: async (visit) => ({ redirect: at(visit, `tree/${pathOf(visit.project.default_branch ?? 'main')}`) }),
})

/** A folder. */
export const tree = page({
  at: 'project',
  path: 'tree/*where',
  async show(visit) {
    const place = await placeOf(visit, visit.params.where)
    const { ref, path } = place
    const { id } = visit.project
    const found = await visit.read(repositoryTree, {
      id,
      ref,
      path,
      per_page: 100,
      page: visit.number,
      last_commits: true,
    })
    const [branches, commits, readme, modules, mayWrite] = await Promise.all([
      visit.find(branchesList, { id, per_page: 12 }),
      path === '' ? null : visit.find(commitsList, { id, ref_name: ref, path, per_page: 1 }),
      readmeOf(visit, ref, found.items),
      modulesOf(visit, ref, found.items),
      ref === place.head.id ? false : visit.may(filesCreate, { id, file_path: '' }),
    ])
    const commit = commits ? commits.items[0] : place.head
    return {
      title: path === '' ? 'Files' : nameOf(path),
      crumbs: stepsTo(visit, place).slice(0, path === '' ? 1 : -1),
      actions: (
        <>
          <RefMenu visit={visit} ref={ref} path={path} branches={branches?.items} />
          <FindFile visit={visit} ref={ref} />
          <a class="button" href={atPath(visit, 'commits', ref, path)}>
            History
          </a>
          {mayWrite && (
            <a class="button" href={atPath(visit, 'new', ref, path)}>
              New file
            </a>
          )}
          <Downloads visit={visit} ref={ref} path={path} />
        </>
      ),
      body: (
        <div>
          <div class="panel">
            {commit && <CommitLine visit={visit} commit={commit} />}
            <Tree visit={visit} ref={ref} path={path} items={found.items} modules={modules} />
          </div>
          <Pages path={visit.path} page={visit.number} of={found} />
          {readme}
        </div>
      ),
    }
  },
})
