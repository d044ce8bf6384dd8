import { notFound, nothing, reading, writing } from '../../../api/index.ts'
import { operation, type Subject } from '../../../platform/index.ts'
import type { ProjectAbility } from '../../access/index.ts'
import { type Project, project, settingOf } from '../../projects/index.ts'
import { PagesSettings } from './present.ts'
import { changeSettings, getSettings, settingsChanges, unpublish } from './settings.ts'

/** A project whose feature is not disabled, on a server that serves sites (contract 24, Operations: Pages). */
const projectWithPages: Subject<Project, ProjectAbility> = {
  ...project,
  async find(platform, request, actor) {
    if (!platform.config.pagesEnabled) throw notFound()
    const found = await project.find(platform, request, actor)
    if (settingOf(found, 'pages_access_level') === 'disabled') throw notFound()
    return found
  },
}

const shared = { tag: 'Pages', subject: projectWithPages, path: '/projects/:id/pages' } as const

export const pagesGet = operation({
  ...shared,
  id: 'pages.get',
  contract: 'x.pages_get',
  method: 'GET',
  summary: 'Get the site of a project',
  allow: 'read_pages',
  scopes: reading,
  result: [200, PagesSettings],
  run: ({ platform, subject }) => getSettings(platform, subject),
})

export const pagesUpdate = operation({
  ...shared,
  id: 'pages.update',
  contract: 'x.pages_update',
  method: 'PATCH',
  summary: 'Change the site of a project',
  allow: 'admin_pages',
  scopes: writing,
  params: settingsChanges,
  result: [200, PagesSettings],
  run: ({ platform, subject, params, act }) => changeSettings(platform, subject, params, act),
})

export const pagesDelete = operation({
  ...shared,
  id: 'pages.delete',
  contract: 'x.pages_delete',
  method: 'DELETE',
  summary: 'Delete everything that was published of a project',
  description: 'Settings and domains stay.',
  allow: 'admin_pages',
  scopes: writing,
  result: [204, nothing],
  run: ({ platform, subject, unmodified, act }) => unpublish(platform, subject, unmodified, act),
})
