import type { Scope } from '../../api/index.ts'

/** What a token with a scope may do, for the people who grant it. */
export const scopeWords: Readonly<Record<Scope, string>> = {
  api: 'Everything that you can do with the API: read and change your projects, groups and account',
  read_api: 'Read everything that you can read with the API',
  read_user: 'Read your profile',
  create_runner: 'Create runners',
  manage_runner: 'Change and delete runners',
  k8s_proxy: 'Reach Kubernetes clusters through their agents',
  self_rotate: 'Replace its own token',
  read_repository: 'Read your repositories',
  write_repository: 'Read and change your repositories',
  read_registry: 'Read container images',
  write_registry: 'Write container images',
  read_virtual_registry: 'Read through virtual registries',
  write_virtual_registry: 'Write to virtual registries',
  read_observability: 'Read observability data',
  write_observability: 'Write observability data',
  ai_features: 'Use AI features',
  ai_workflows: 'Use AI workflows',
  sudo: 'Act as any user of this server',
  admin_mode: 'Do what administrators do',
  read_service_ping: 'Read usage data of this server',
}
