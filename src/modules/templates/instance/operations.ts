import { instance, pageOf, pageOfList, reading } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { getLicense, listLicenses } from '../licenses/licenses.ts'
import { filling, licenseFilter } from '../licenses/params.ts'
import { LicenseTemplate } from '../licenses/present.ts'
import { entriesOf, getTemplate, Template, TemplateEntry } from './templates.ts'

const shared = { tag: 'Templates', subject: instance, allow: 'public', scopes: reading } as const

export const templateDockerfilesList = operation({
  ...shared,
  id: 'template_dockerfiles.list',
  contract: 'x.template_dockerfiles',
  method: 'GET',
  path: '/templates/dockerfiles',
  summary: 'List the templates of Dockerfiles',
  result: [200, pageOf(TemplateEntry)],
  run: async ({ page }) => pageOfList(entriesOf('dockerfiles'), page),
})

export const templateDockerfilesGet = operation({
  ...shared,
  id: 'template_dockerfiles.get',
  contract: 'x.template_dockerfile',
  method: 'GET',
  path: '/templates/dockerfiles/:name',
  summary: 'Get a template of a Dockerfile',
  result: [200, Template],
  run: ({ params }) => getTemplate('dockerfiles', params.name),
})

export const templateGitignoresList = operation({
  ...shared,
  id: 'template_gitignores.list',
  contract: 'x.template_gitignores',
  method: 'GET',
  path: '/templates/gitignores',
  summary: 'List the templates of `.gitignore`',
  result: [200, pageOf(TemplateEntry)],
  run: async ({ page }) => pageOfList(entriesOf('gitignores'), page),
})

export const templateGitignoresGet = operation({
  ...shared,
  id: 'template_gitignores.get',
  contract: 'x.template_gitignore',
  method: 'GET',
  path: '/templates/gitignores/:name',
  summary: 'Get a template of `.gitignore`',
  result: [200, Template],
  run: ({ params }) => getTemplate('gitignores', params.name),
})

export const templateGitlabCiYmlsList = operation({
  ...shared,
  id: 'template_gitlab_ci_ymls.list',
  contract: 'x.template_gitlab_ci_ymls',
  method: 'GET',
  path: '/templates/gitlab_ci_ymls',
  summary: 'List the templates of CI configurations',
  result: [200, pageOf(TemplateEntry)],
  run: async ({ page }) => pageOfList(entriesOf('gitlab_ci_ymls'), page),
})

export const templateGitlabCiYmlsGet = operation({
  ...shared,
  id: 'template_gitlab_ci_ymls.get',
  contract: 'x.template_gitlab_ci_yml',
  method: 'GET',
  path: '/templates/gitlab_ci_ymls/:name',
  summary: 'Get a template of a CI configuration',
  result: [200, Template],
  run: ({ params }) => getTemplate('gitlab_ci_ymls', params.name),
})

export const templateLicensesList = operation({
  ...shared,
  id: 'template_licenses.list',
  contract: 'x.template_licenses',
  method: 'GET',
  path: '/templates/licenses',
  summary: 'List licences with their texts, in which placeholders stand',
  params: licenseFilter,
  result: [200, pageOf(LicenseTemplate)],
  run: ({ params, page }) => listLicenses(params.popular, page),
})

export const templateLicensesGet = operation({
  ...shared,
  id: 'template_licenses.get',
  contract: 'x.template_license',
  method: 'GET',
  path: '/templates/licenses/:key',
  summary: 'Get a licence with its placeholders filled',
  params: filling,
  result: [200, LicenseTemplate],
  run: ({ platform, actor, params: { key, ...given } }) => getLicense(platform, actor, key, given),
})
