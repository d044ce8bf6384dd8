import {
  branchesList,
  commitsGet,
  filesCreate,
  notificationTwins,
  projectBadgesList,
  projectsGet,
  projectsLanguages,
  repositoryTree,
  tagsList,
} from '../../../operations.ts'
import { page, type Visit } from '../../../page.ts'
import { notificationMenu } from '../../../parts/notification-menu.tsx'
import { Copy, Empty, Icon } from '../../../parts/parts.tsx'
import { Downloads } from '../downloads.tsx'
import { CommitLine, FindFile, RefMenu, Tree } from '../pieces.tsx'
import { at, atPath } from '../places.ts'
import { Badges } from './badges.tsx'
import { ImportState, isArriving } from './import.tsx'
import { modulesOf, readmeOf } from './prose.tsx'

const colours = ['#c2641a', '#3f7d58', '#3b6ea8', '#8a5a9e', '#a8862b', '#7c7368']

function Languages({ shares }: { shares: Readonly<Record<string, number>> }) {
  const shown = Object.entries(shares)
    .sort((one, other) => other[1] - one[1])
    .slice(0, 6)
  if (shown.length === 0) return <></>
  const starts = shown.map((_, index) => shown.slice(0, index).reduce((sum, [, share]) => sum + share, 0))
  return (
    <section class="languages">
      <h2>Languages</h2>
      <svg viewBox="0 0 100 4" width="100%" height={6} preserveAspectRatio="none" focusable="false" aria-hidden="true">
        {shown.map(([, share], index) => (
          <rect x={starts[index]} width={share} height={4} fill={colours[index]} />
        ))}
      </svg>
      <ul>
        {shown.map(([name, share], index) => (
          <li>
            <svg class="dot" viewBox="0 0 10 10" width={10} height={10} focusable="false" aria-hidden="true">
              <circle cx={5} cy={5} r={4.5} fill={colours[index]} />
            </svg>
            {name} <span class="soft">{share.toFixed(1)} %</span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function NoFiles({ visit, mayRead, mayWrite }: { visit: Visit; mayRead: boolean; mayWrite: boolean }) {
  if (!mayRead) return <Empty title="The code of this project is for its members." />
  if (!mayWrite) return <Empty title="No files yet." />
  return (
    <Empty title="No files yet.">
      <p>
        <a href={at(visit, 'new/main')}>Write the first file</a> here, or push what you have:
      </p>
      <pre tabindex={0}>
        git remote add origin {visit.project.http_url_to_repo ?? ''}
        {'\n'}git push -u origin HEAD
      </pre>
    </Empty>
  )
}

function Clone({ visit: { project } }: { visit: Visit }) {
  const { http_url_to_repo: http, ssh_url_to_repo: ssh } = project
  return (
    <section>
      <h2>Clone</h2>
      {http && <Copy text={http} label="Address for HTTPS" />}
      {ssh && <Copy text={ssh} label="Address for SSH" />}
    </section>
  )
}

/** Where a project begins: its files, its last commit and its README. */
export const projectHome = page({
  at: 'project',
  path: '',
  nav: { section: '', label: 'Project', operation: projectsGet },
  performs: [notificationTwins.project.update],
  async show(visit) {
    const { project } = visit
    const { id, default_branch: ref } = project
    const tree = ref ? await visit.find(repositoryTree, { id, ref, per_page: 100, last_commits: true }) : null
    const items = tree?.items ?? []
    const [mayRead, mayWrite, head, languages, branches, tags, readme, modules, badges, notifications] =
      await Promise.all([
        visit.may(repositoryTree, { id }),
        visit.may(filesCreate, { id, file_path: '' }),
        ref ? visit.find(commitsGet, { id, sha: ref, stats: false }) : null,
        visit.find(projectsLanguages, { id }),
        visit.find(branchesList, { id, per_page: 12 }),
        visit.find(tagsList, { id, per_page: 1 }),
        ref ? readmeOf(visit, ref, items) : null,
        modulesOf(visit, ref ?? '', items),
        visit.find(projectBadgesList, { id, per_page: 100 }),
        notificationMenu(visit, 'project'),
      ])
    return {
      title: project.name ?? '',
      refreshes: isArriving(project),
      actions: (
        <>
          {head && <RefMenu visit={visit} ref={ref ?? ''} branches={branches?.items} />}
          {head && <FindFile visit={visit} ref={ref ?? ''} />}
          {head && <Downloads visit={visit} ref={ref ?? ''} />}
          {notifications}
          <span class="meta">
            <Icon name="star" label="Stars" />
            {project.star_count}
          </span>
          {project.archived && <span class="tagged">archived</span>}
          {project.visibility !== 'public' && (
            <span class="tagged">
              <Icon name="lock" />
              {project.visibility}
            </span>
          )}
        </>
      ),
      body: (
        <div class="two">
          <div>
            {project.description && <p class="lead">{project.description}</p>}
            <Badges visit={visit} badges={badges?.items ?? []} />
            <ImportState project={project} />
            {head && ref ? (
              <div class="panel">
                <CommitLine visit={visit} commit={head} />
                <Tree visit={visit} ref={ref} path="" items={items} modules={modules} />
                {tree?.hasNext && (
                  <p class="quiet-note">
                    The first 100 entries. <a href={`${atPath(visit, 'tree', ref)}?page=2`}>More</a>
                  </p>
                )}
              </div>
            ) : (
              <NoFiles visit={visit} mayRead={mayRead} mayWrite={mayWrite} />
            )}
            {readme}
          </div>
          <aside>
            {mayRead && <Clone visit={visit} />}
            {head && (
              <section>
                <h2>Repository</h2>
                <ul class="facts">
                  <li>
                    <Icon name="commit" />
                    <a href={at(visit, 'commits')}>Commits</a>
                  </li>
                  <li>
                    <Icon name="branch" />
                    <a href={at(visit, 'branches')}>
                      {branches?.total ?? ''} {branches?.total === 1 ? 'branch' : 'branches'}
                    </a>
                  </li>
                  <li>
                    <Icon name="tag" />
                    <a href={at(visit, 'tags')}>
                      {tags?.total ?? ''} {tags?.total === 1 ? 'tag' : 'tags'}
                    </a>
                  </li>
                </ul>
              </section>
            )}
            <Languages shares={languages ?? {}} />
          </aside>
        </div>
      ),
    }
  },
})
