import { pageOf, reading, Type, t } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project } from '../../projects/index.ts'
import { Template, TemplateEntry } from '../instance/templates.ts'
import { filling } from '../licenses/params.ts'
import { LicenseTemplate } from '../licenses/present.ts'
import { getProjectTemplate, listProjectTemplates, templateType } from './templates.ts'

const shared = { tag: 'Templates', subject: project, allow: 'read_project', scopes: reading } as const
const list = '/projects/:id/templates/:type'

export const projectTemplatesList = operation({
  ...shared,
  id: 'project_templates.list',
  contract: 'x.project_templates',
  method: 'GET',
  path: list,
  summary: 'List the templates of a kind that a project offers',
  params: templateType,
  result: [200, pageOf(TemplateEntry)],
  run: ({ platform, subject, actor, params, page }) =>
    listProjectTemplates(platform, subject, actor, params.type, page),
})

export const projectTemplatesGet = operation({
  ...shared,
  id: 'project_templates.get',
  contract: 'x.project_template',
  method: 'GET',
  path: `${list}/:name`,
  summary: 'Get a template that a project offers',
  params: {
    ...templateType,
    ...filling,
    source_template_project_id: t.integer({ description: 'Accepted, without an effect.' }),
  },
  result: [200, Type.Union([LicenseTemplate, Template])],
  run: ({ platform, subject, actor, params: { type, name, project, fullname } }) =>
    getProjectTemplate(platform, subject, actor, { type, name, project, fullname }),
})
