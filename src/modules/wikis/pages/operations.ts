import { nothing, pageOf, reading, Type, t, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { twinsOf } from '../../projects/index.ts'
import { newPage, pageChanges } from './params.ts'
import { ListedWikiPage, WikiPage, WikiPageVersion } from './present.ts'
import { getPage, listVersions, listWikiPages } from './read-pages.ts'
import { createPage, deletePage, updatePage } from './write-pages.ts'

const tag = 'Wikis'

/** Operations on the pages of project and group wikis (contract 22, x.wikis_*, x.gwikis_*). */
export const wikiPages = twinsOf(({ kind, path: parent, subject }) => {
  const path = `${parent}/wikis` as const
  const contract = kind === 'project' ? 'x.wikis' : 'x.gwikis'
  // Wikis of groups are a function of a higher tier.
  const limits = kind === 'group' ? ({ tier: 'premium' } as const) : {}
  const reads = { ...limits, tag, subject, method: 'GET', allow: 'read_wiki', scopes: reading } as const
  const writes = { ...limits, tag, subject, scopes: writing }
  return {
    list: operation({
      ...reads,
      id: `${kind}_wikis.list`,
      contract: `${contract}_list`,
      path,
      summary: `List the wiki pages of a ${kind}`,
      params: { with_content: t.boolean({ description: 'Whether to include the text of the pages.' }) },
      result: [200, Type.Array(ListedWikiPage)],
      run: ({ platform, subject, params: { with_content: withContent = false }, request: { signal } }) =>
        listWikiPages(platform, subject, { withContent, signal }),
    }),
    get: operation({
      ...reads,
      id: `${kind}_wikis.get`,
      contract: `${contract}_get`,
      path: `${path}/:slug`,
      summary: `Get a wiki page of a ${kind}`,
      params: {
        render_html: t.boolean({ description: 'Whether the content is HTML.' }),
        version: t.string({ description: 'Commit from which the page is read; default the newest.' }),
      },
      result: [200, WikiPage],
      run: ({ platform, subject, params }) => getPage(platform, subject, params.slug, params),
    }),
    versions: operation({
      ...reads,
      id: `${kind}_wikis.versions`,
      contract: `${contract}_versions`,
      path: `${path}/:slug/versions`,
      summary: `List the versions of a wiki page of a ${kind}`,
      list: { withoutTotal: true },
      result: [200, pageOf(WikiPageVersion)],
      run: ({ platform, subject, params, page }) => listVersions(platform, subject, params.slug, page),
    }),
    create: operation({
      ...writes,
      id: `${kind}_wikis.create`,
      contract: `${contract}_create`,
      method: 'POST',
      path,
      summary: `Create a wiki page in a ${kind}`,
      allow: 'write_wiki',
      params: newPage,
      result: [201, WikiPage],
      run: ({ platform, subject, actor, params }) => createPage(platform, subject, actor, params),
    }),
    update: operation({
      ...writes,
      id: `${kind}_wikis.update`,
      contract: `${contract}_update`,
      method: 'PUT',
      path: `${path}/:slug`,
      summary: `Change a wiki page of a ${kind}`,
      description: 'A new title moves the page within its directory; a title with a slash is a path from the root.',
      allow: 'write_wiki',
      params: pageChanges,
      atLeastOne: ['title', 'content', 'format'],
      result: [200, WikiPage],
      run: ({ platform, subject, actor, params }) => updatePage(platform, subject, actor, params.slug, params),
    }),
    delete: operation({
      ...writes,
      id: `${kind}_wikis.delete`,
      contract: `${contract}_delete`,
      method: 'DELETE',
      path: `${path}/:slug`,
      summary: `Delete a wiki page of a ${kind}`,
      allow: 'delete_wiki_pages',
      result: [204, nothing],
      run: ({ platform, subject, actor, params }) => deletePage(platform, subject, actor, params.slug),
    }),
  }
})
