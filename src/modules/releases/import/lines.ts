import {
  BadLine,
  type ImportedLine,
  type ImportLine,
  lineOf,
  linesOf,
  requiredText,
  requiredTime,
  shaOf,
  textOf,
  timesOf,
  userOf,
  wordOf,
} from '../../../platform/index.ts'
import { embeddedMilestone } from '../../milestones/index.ts'
import { insertRelease } from '../core/store.ts'
import { insertLinks } from '../links/store.ts'
import { replaceMilestones } from '../milestones/store.ts'
import { linkTypes } from '../tables.ts'

const longestAddress = 255
const schemes = ['http:', 'https:', 'ftp:']

/** A link of a release. @throws BadLine */
function readLink(line: ImportedLine) {
  const url = requiredText(line, 'url', longestAddress)
  if (!schemes.includes(URL.parse(url)?.protocol ?? '')) throw new BadLine('url is invalid')
  const filepath = textOf(line, 'filepath', longestAddress)
  return {
    ...{ url, name: requiredText(line, 'name'), filepath: filepath?.startsWith('/') ? filepath : null },
    ...{ link_type: wordOf(line, 'link_type', linkTypes, 'other'), ...timesOf(line) },
  }
}

/** Imports a release of a project with its links and milestones (contract 14, releases). */
export const importRelease: ImportLine = async (_platform, into, line) => {
  const tag = requiredText(line, 'tag')
  const name = textOf(line, 'name', 255)
  const row = {
    ...{ project_id: into.id, tag, name: name === tag ? null : name, description: textOf(line, 'description') },
    ...{ sha: shaOf(line, 'sha'), author_id: userOf(into, line, 'author_id') },
    ...{ released_at: requiredTime(line, 'released_at'), ...timesOf(line) },
  }
  const links = linesOf(line, 'links').map(readLink)
  const milestones = linesOf(line, 'milestone_releases')
    .map((link) => lineOf(link, 'milestone'))
    .filter((milestone) => milestone !== null)
  return async (tx) => {
    const { id } = await insertRelease(tx, row)
    await insertLinks(
      tx,
      links.map((link) => ({ ...link, release_id: id })),
    )
    const ids = new Set<number>()
    for (const milestone of milestones) ids.add(await embeddedMilestone(tx, into, milestone))
    await replaceMilestones(tx, id, [...ids])
  }
}
