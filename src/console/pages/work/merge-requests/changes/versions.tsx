import type { Html } from '../../../../html/index.ts'
import type { Visit } from '../../../../page.ts'
import { Time, withQuery } from '../../../../parts/parts.tsx'
import { at } from '../../../code/places.ts'
import type { Version, Versions } from './read.ts'

type VersionProps = { visit: Visit; versions: Versions }

/** What has changed from an older version to the shown one: a comparison of their heads. */
function Since({ visit, from, to }: { visit: Visit; from: Version; to: Version }): Html {
  if (from.id >= to.id) return <></>
  return (
    <a class="soft" href={`${at(visit, `compare/${from.head_commit_sha}...${to.head_commit_sha}`)}?straight=1`}>
      since then
    </a>
  )
}

/** The versions of the diff, one for each push, newest first. */
export function VersionMenu({ visit, versions: { versions, shown, isNewest } }: VersionProps): Html {
  if (!shown || versions.length < 2) return <></>
  const numberOf = (index: number) => versions.length - index
  return (
    <details class="menu refs versions">
      <summary class="button">{isNewest ? 'Newest version' : `Version ${numberOf(versions.indexOf(shown))}`}</summary>
      <div class="popup">
        <ul>
          {versions.map((version, index) => (
            <li>
              <a
                href={withQuery(visit.path, {
                  ...{ version: index === 0 ? null : version.id, at: null, suggest: null, page: null, file: null },
                })}
                aria-current={version === shown ? 'page' : undefined}
              >
                Version {numberOf(index)} <span class="sha">{version.head_commit_sha.slice(0, 8)}</span>{' '}
                <Time at={version.created_at} />
              </a>
              <Since visit={visit} from={version} to={shown} />
            </li>
          ))}
        </ul>
      </div>
    </details>
  )
}
