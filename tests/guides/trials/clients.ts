import { file, run, sh, type Trial } from '../trial.ts'

const document = 'docs/guides/clients.md'
const server = {}

/** The project of which a program says that it has made it. */
const made = (name: string) =>
  sh(
    `curl --output /dev/null --header "PRIVATE-TOKEN: $(cat data/root-token)" "http://$FENNEC_LISTEN/api/v4/projects/root%2F${name}"`,
  )

/** Names of programs on the loopback are not looked up; glab reads its settings in the home folder. */
const glab = sh(
  'export TOKEN="$(cat data/root-token)"',
  'git init --quiet --initial-branch=main demo && cd demo',
  'git commit --quiet --allow-empty --message Begin',
  'git remote add origin "http://root:$TOKEN@$FENNEC_LISTEN/root/demo.git"',
  'git push --quiet origin main',
  'git switch --quiet --create hello && git commit --quiet --allow-empty --message Hello && git push --quiet origin hello',
)

/** A lock as Terraform sends it. */
const lock = {
  ...{ ID: 'held', Operation: 'OperationTypeApply', Info: '', Who: 'somebody', Version: '1.11.4', Path: '' },
  Created: '2026-01-01T00:00:00Z',
}

export const clients: readonly Trial[] = [
  { document, name: 'curl', tools: [], server, steps: [run('curl'), made('by-json')] },
  {
    document,
    name: 'python-gitlab',
    tools: ['python-gitlab'],
    server,
    steps: [
      ...[file('python-gitlab', 1, 'demo.py'), sh('python demo.py | grep --line-regexp main'), made('by-python')],
      file('python-gitlab', 2, 'query.py'),
      sh(`python query.py | grep "'repository': {'rootRef': 'main'}"`),
    ],
  },
  { document, name: 'GraphQL', tools: [], server, steps: [run('GraphQL')] },
  {
    document,
    name: 'gitbeaker',
    tools: ['gitbeaker'],
    server,
    steps: [file('gitbeaker', 1, 'demo.mjs'), sh('node demo.mjs'), made('by-gitbeaker')],
  },
  {
    document,
    name: 'client-go',
    tools: ['go'],
    server,
    steps: [file('client-go', 1, 'main.go'), run('client-go', 2), made('by-go')],
  },
  {
    document,
    name: 'ruby-gitlab',
    tools: ['ruby-gitlab'],
    server,
    steps: [file('ruby-gitlab', 1, 'demo.rb'), sh("ruby demo.rb | grep 'Written in Ruby'"), made('by-ruby')],
  },
  { document, name: 'glab', tools: ['glab'], server, steps: [glab, run('glab', 1), run('glab', 2)] },
  {
    document,
    name: 'Terraform',
    tools: ['terraform', 'terraform-provider-gitlab'],
    server,
    // A provider that is not from a registry needs no `init`.
    instead: { 'terraform init': 'true' },
    steps: [
      sh(
        'provider="$(dirname "$(command -v terraform-provider-gitlab)")"',
        `printf 'provider_installation {\\n  dev_overrides { "gitlabhq/gitlab" = "%s" }\\n}\\n' "$provider" > terraformrc`,
        'export TF_CLI_CONFIG_FILE="$PWD/terraformrc" CHECKPOINT_DISABLE=1',
      ),
      file('Terraform provider', 1, 'main.tf'),
      run('Terraform provider', 2),
    ],
  },
  {
    document,
    name: 'states of Terraform',
    tools: ['terraform'],
    server,
    // What it uses is a part of Terraform, so no registry is asked.
    steps: [
      sh(
        'export CHECKPOINT_DISABLE=1',
        'own() { curl --header "PRIVATE-TOKEN: $(cat data/root-token)" "$@"; }',
        'own --output /dev/null --json \'{"name": "demo"}\' "http://$FENNEC_LISTEN/api/v4/projects"',
      ),
      file('Terraform states', 1, 'main.tf'),
      run('Terraform states', 2),
      sh(
        'terraform plan -detailed-exitcode',
        // A lock that another has is respected, and named.
        `own --json '${JSON.stringify(lock)}' "$TF_HTTP_LOCK_ADDRESS"`,
        '! terraform apply -auto-approve -replace=terraform_data.greeting > refused.txt 2>&1',
        "grep 'already locked: ID=held' refused.txt",
        'terraform force-unlock -force held',
        'terraform destroy -auto-approve',
        'own "http://$FENNEC_LISTEN/api/v4/projects/root%2Fdemo/terraform/state" | grep \'"locked":false\'',
      ),
    ],
  },
]
