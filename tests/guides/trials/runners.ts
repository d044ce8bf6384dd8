import { file, run, sh, type Trial } from '../trial.ts'

const document = 'docs/guides/runner.md'

/** A project with the configuration of the guide, pushed. */
const push = [
  file('The first pipeline', 2, 'demo/.gitlab-ci.yml'),
  sh(
    'export TOKEN="$(cat data/root-token)"',
    'git init --quiet --initial-branch=main demo && git -C demo add . && git -C demo commit --quiet --message Begin',
    'git -C demo push --quiet "http://root:$TOKEN@$FENNEC_LISTEN/root/demo.git" main',
  ),
]

/** Waits until the pipeline of `root/demo` has succeeded. */
export const hasSucceeded = sh(
  'for _ in $(seq 120); do',
  '  pipelines="$(curl --header "PRIVATE-TOKEN: $TOKEN" "http://$FENNEC_LISTEN/api/v4/projects/root%2Fdemo/pipelines")"',
  `  if [[ "$pipelines" == *'"status":"success"'* ]]; then break; fi`,
  '  sleep 0.5',
  'done',
  `[[ "$pipelines" == *'"status":"success"'* ]] || { echo "$pipelines"; exit 1; }`,
)

export const runners: readonly Trial[] = [
  {
    document,
    name: 'the first pipeline',
    tools: [],
    server: {},
    instead: { 'npm start -- runner': 'fennec runner &' },
    steps: [...push, run('The first pipeline'), hasSucceeded],
  },
  {
    document,
    name: 'gitlab-runner with the shell of the machine',
    tools: ['gitlab-runner'],
    server: {},
    // A reader has the user that the guide names.
    instead: {
      'glrt-…': '"$RUNNER_TOKEN"',
      '--user gitlab-runner --working-directory /home/gitlab-runner': '--working-directory "$PWD/builds" &',
    },
    steps: [
      ...push,
      sh('mkdir builds', 'create() {'),
      run('gitlab-runner'),
      sh('}', 'RUNNER_TOKEN="$(create | node -p "JSON.parse(require(\'fs\').readFileSync(0)).token")"'),
      run('gitlab-runner', 3),
      hasSucceeded,
    ],
  },
  {
    document: 'docs/guides/deploying.md',
    name: 'the image',
    tools: ['buildah', 'podman', 'image of Node'],
    steps: [sh('cd "$ROOT" && deploy/try-image.sh "$BASE"')],
  },
]
