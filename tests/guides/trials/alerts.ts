import { file, run, sh, type Trial } from '../trial.ts'

const document = 'docs/guides/alerts.md'

const integration = sh(
  'export FENNEC="http://$FENNEC_LISTEN" TOKEN="$(cat data/root-token)"',
  'curl --output /dev/null --header "PRIVATE-TOKEN: $TOKEN" --data name=ops --data path=ops "$FENNEC/api/v4/groups"',
  'curl --output /dev/null --header "PRIVATE-TOKEN: $TOKEN" --data name=shop --data namespace_id=2 "$FENNEC/api/v4/projects"',
  'member() { node -p "JSON.parse(process.argv[1]).$1" "$made"; }',
)

/** Waits until the alerts of the project have the given number of a status. */
const untilAlerts = (status: string) =>
  sh(
    'for _ in $(seq 60); do',
    '  alerts="$(curl --header "PRIVATE-TOKEN: $TOKEN" "$FENNEC/api/v4/projects/ops%2Fshop/alert_management_alerts")"',
    `  if [[ "$alerts" == *'"status":"${status}"'* ]]; then break; fi`,
    '  sleep 0.5',
    'done',
    `[[ "$alerts" == *'"status":"${status}"'* ]] || { echo "$alerts"; exit 1; }`,
  )

const created = sh('made="$(create)"', 'export URL="$(member url)" KEY="$(member token)"')

export const alerts: readonly Trial[] = [
  {
    document,
    name: 'a test alert, and the names of another tool',
    tools: [],
    server: {},
    steps: [
      integration,
      sh('create() {'),
      run('Create an integration'),
      sh('}'),
      created,
      run('Create an integration', 2),
      untilAlerts('resolved'),
      run('Other tools'),
      sh(`curl --header "Authorization: Bearer $KEY" "$URL" --json '{"event": {"name": "Mapped", "level": "low"}}'`),
    ],
  },
  {
    document,
    name: 'Alertmanager',
    tools: ['alertmanager'],
    server: {},
    ports: ['ALERTMANAGER'],
    instead: {
      'http://fennec.example:8080': 'http://127.0.0.1:$SERVER_PORT',
      // A reader waits for five minutes.
      'group_by: [alertname]': 'group_by: [alertname]\n  group_wait: 1s\n  group_interval: 1s',
      'localhost:9093': '127.0.0.1:$ALERTMANAGER_PORT',
    },
    steps: [
      integration,
      sh('create() {'),
      run('Create an integration'),
      sh('}'),
      created,
      file('Prometheus Alertmanager', 1, 'alertmanager.yml'),
      sh(
        'sed --in-place "s/AUTHORIZATION_KEY/$KEY/" alertmanager.yml',
        'amtool check-config alertmanager.yml',
        'prometheus-alertmanager --config.file=alertmanager.yml --storage.path=alertmanager --cluster.listen-address= --web.listen-address="127.0.0.1:$ALERTMANAGER_PORT" &',
        'curl --retry 60 --retry-delay 1 --retry-all-errors "http://127.0.0.1:$ALERTMANAGER_PORT/-/ready" > /dev/null',
      ),
      run('Prometheus Alertmanager', 2),
      untilAlerts('triggered'),
      run('Prometheus Alertmanager', 3),
      untilAlerts('resolved'),
    ],
  },
]
