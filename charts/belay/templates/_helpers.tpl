{{/* A release may be called belay-0.2, and the name of an install has no dots. */}}
{{- define "belay.installOf" -}}
{{- $name := replace "." "-" . -}}
{{- ternary $name (printf "%s-belay" $name) (contains "belay" $name) -}}
{{- end -}}

{{/* The name of the install. Objects of this release are named NAME-operator. */}}
{{- define "belay.install" -}}
{{- $name := include "belay.installOf" .Release.Name -}}
{{- if gt (len $name) 53 -}}
{{- fail (printf "the release name %s has %d characters, the names of its objects would be too long; fix: choose a name of at most 47 characters" .Release.Name (len .Release.Name)) -}}
{{- end -}}
{{- $name -}}
{{- end -}}

{{- define "belay.operator" -}}
{{ include "belay.install" . }}-operator
{{- end -}}

{{/* The selector of the Deployment: these never change. */}}
{{- define "belay.selector" -}}
app.kubernetes.io/name: belay
app.kubernetes.io/instance: {{ .Release.Name | quote }}
app.kubernetes.io/component: operator
{{- end -}}

{{- define "belay.labels" -}}
{{ include "belay.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}

{{- define "belay.image" -}}
{{- with .Values.image -}}
{{- if not .repository -}}
{{- fail "image.repository is empty, and no image of Belay is published yet; fix: push an image of the operator to your registry and set it with --set image.repository=REGISTRY/belay-operator" -}}
{{- end -}}
{{- $image := printf "%s:%s" .repository (.tag | default $.Chart.AppVersion) -}}
{{- if .digest }}{{ $image = printf "%s@%s" $image .digest }}{{ end -}}
{{- $image -}}
{{- end -}}
{{- end -}}

{{/* A selector that the operator could not read would stop it at its start. */}}
{{- define "belay.checkSelector" -}}
{{- $prefix := "[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*/" -}}
{{- $name := "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?" -}}
{{- $key := printf "(%s)?%s" $prefix $name -}}
{{- $value := printf "(%s)?" $name -}}
{{- $in := printf "\\s+(in|notin)\\s*\\(\\s*%s\\s*(,\\s*%s\\s*)*\\)" $value $value -}}
{{- $is := printf "\\s*((=|==|!=)\\s*%s|[<>]\\s*[0-9]{1,18})" $value -}}
{{- $one := printf "\\s*(!\\s*%s|%s(%s|%s)?)\\s*" $key $key $in $is -}}
{{- if not (regexMatch (printf "^(%s(,%s)*)?$" $one $one) .Values.labelSelector) -}}
{{- fail (printf "labelSelector %q is not a label selector; fix: write it as kubectl get -l takes it, such as managed-by=v1 or env in (prod,stage),!legacy" .Values.labelSelector) -}}
{{- end -}}
{{- end -}}

{{/* A value without effect is a mistake. */}}
{{- define "belay.checkNamespaces" -}}
{{- if not .Values.namespaces -}}
{{- if not .Values.nodes.read -}}
{{- fail "nodes.read is false, and without namespaces the ClusterRole of the operator reads nodes anyway; fix: set namespaces, or leave nodes.read out" -}}
{{- end -}}
{{- if .Values.otherInstalls.namespaces -}}
{{- fail (printf "otherInstalls.namespaces is %v, and without namespaces the operator may read every Lease anyway; fix: set namespaces, or leave otherInstalls.namespaces out" .Values.otherInstalls.namespaces) -}}
{{- end -}}
{{- else -}}
{{- range .Values.secrets.namespaces -}}
{{- if not (has . $.Values.namespaces) -}}
{{- fail (printf "secrets.namespaces has %s, and the operator does not work in that namespace; fix: add %s to namespaces, or remove it from secrets.namespaces" . .) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* The arguments of the operator and of the uninstall Job: the install and its scope. */}}
{{- define "belay.scope" -}}
{{- include "belay.checkSelector" . -}}
{{- include "belay.checkNamespaces" . -}}
- --install={{ include "belay.install" . }}
{{- with .Values.labelSelector }}
- {{ printf "--selector=%s" . | quote }}
{{- end }}
{{- with .Values.namespaces }}
- --namespace={{ join "," . }}
{{- end }}
{{- end -}}

{{- define "belay.podSettings" -}}
serviceAccountName: {{ include "belay.operator" . }}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 0 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector: {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations: {{- toYaml . | nindent 0 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  seccompProfile: {type: RuntimeDefault}
{{- end -}}

{{- define "belay.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end -}}

{{/* The rules of the operator in the namespaces that it works on. */}}
{{- define "belay.rules" -}}
# Of a StatefulCluster: its finalizer while a workload is parked, and the annotation of a forced
# rollout, which is removed.
- apiGroups: [belay.dev]
  resources: [statefulclusters]
  verbs: [get, list, watch, patch]
# The guard lets an account with this verb take the mark of a workload.
- apiGroups: [belay.dev]
  resources: [statefulclusters]
  verbs: [own]
- apiGroups: [belay.dev]
  resources: [statefulclusters/status]
  verbs: [patch, update]
- apiGroups: [apps]
  resources: [statefulsets, deployments]
  verbs: [get, list, watch, patch]
# The revision of a pod of a Deployment.
- apiGroups: [apps]
  resources: [replicasets]
  verbs: [list]
- apiGroups: [""]
  resources: [pods]
  verbs: [list, watch, patch, delete]
- apiGroups: [""]
  resources: [pods/eviction]
  verbs: [create]
- apiGroups: [policy]
  resources: [poddisruptionbudgets]
  verbs: [list]
- apiGroups: [""]
  resources: [events]
  verbs: [create]
{{- end -}}

{{/* A cordoned or unready node is seen, by name. */}}
{{- define "belay.nodeRules" -}}
- apiGroups: [""]
  resources: [nodes]
  verbs: [get]
{{- end -}}

{{/* The guard is probed again when its policy changes. */}}
{{- define "belay.policyRules" -}}
- apiGroups: [admissionregistration.k8s.io]
  resources: [mutatingadmissionpolicies, mutatingadmissionpolicybindings]
  resourceNames: [belay-guard]
  verbs: [list, watch]
{{- end -}}

{{/* The Lease of an install that is gone shows that its clusters may be taken over. */}}
{{- define "belay.leaseRules" -}}
- apiGroups: [coordination.k8s.io]
  resources: [leases]
  verbs: [get]
{{- end -}}

{{/* By name: the Secrets of tls and auth, and the ConfigMap with migrations. */}}
{{- define "belay.secretRules" -}}
- apiGroups: [""]
  resources: [secrets, configmaps]
  verbs: [get]
{{- end -}}

{{/* binding (list CONTEXT KIND NAME NAMESPACE ROLE-KIND): NAMESPACE empty for a ClusterRoleBinding. */}}
{{- define "belay.binding" -}}
{{- $root := index . 0 -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ index . 1 }}
metadata:
  name: {{ index . 2 }}
  {{- with index . 3 }}
  namespace: {{ . | quote }}
  {{- end }}
  labels: {{- include "belay.labels" $root | nindent 4 }}
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: {{ index . 4 }}
  name: {{ index . 2 }}
subjects:
- kind: ServiceAccount
  name: {{ include "belay.operator" $root }}
  namespace: {{ $root.Release.Namespace | quote }}
{{- end -}}

{{/* role (list CONTEXT KIND NAME NAMESPACE RULES) */}}
{{- define "belay.role" -}}
apiVersion: rbac.authorization.k8s.io/v1
kind: {{ index . 1 }}
metadata:
  name: {{ index . 2 }}
  {{- with index . 3 }}
  namespace: {{ . | quote }}
  {{- end }}
  labels: {{- include "belay.labels" (index . 0) | nindent 4 }}
rules:
{{ index . 4 }}
{{- end -}}

{{/* The policies of this API server: v1, v1beta1 or parked. */}}
{{- define "belay.guard" -}}
{{- $kind := "MutatingAdmissionPolicy" -}}
{{- $v1 := .Capabilities.APIVersions.Has (printf "admissionregistration.k8s.io/v1/%s" $kind) -}}
{{- $v1beta1 := .Capabilities.APIVersions.Has (printf "admissionregistration.k8s.io/v1beta1/%s" $kind) -}}
{{- if eq .Values.guard.mode "parked" -}}parked
{{- else if $v1 -}}v1
{{- else if $v1beta1 -}}v1beta1
{{- else if eq .Values.guard.mode "auto" -}}parked
{{- else if semverCompare ">=1.36.0-0" .Capabilities.KubeVersion.Version -}}v1
{{- else -}}
{{- fail (printf "guard.mode is policy, and Kubernetes %s serves no MutatingAdmissionPolicy; fix: --set guard.mode=auto, or switch the API admissionregistration.k8s.io/v1beta1 and the feature MutatingAdmissionPolicy on" .Capabilities.KubeVersion.Version) -}}
{{- end -}}
{{- end -}}

{{/*
keep (list CONTEXT TEXT): objects that outlive the release. TEXT is a file of files/; deploy/ has the same file without
this annotation.
*/}}
{{- define "belay.keep" -}}
{{- regexReplaceAll "(?m)^metadata:$" (index . 1) "metadata:\n  annotations:\n    helm.sh/resource-policy: keep" -}}
{{- end -}}

{{/* The clear sentence instead of Helm's own, where the other release still runs. */}}
{{- define "belay.checkShared" -}}
{{- $crd := lookup "apiextensions.k8s.io/v1" "CustomResourceDefinition" "" "statefulclusters.belay.dev" -}}
{{- if and .Release.IsInstall $crd -}}
{{- $marks := $crd.metadata.annotations | default dict -}}
{{- $name := index $marks "meta.helm.sh/release-name" | default "" -}}
{{- $namespace := index $marks "meta.helm.sh/release-namespace" | default "" -}}
{{- if and $name (or (ne $name .Release.Name) (ne $namespace .Release.Namespace)) -}}
{{- $operator := printf "%s-operator" (include "belay.installOf" $name) -}}
{{- if lookup "apps/v1" "Deployment" $namespace $operator -}}
{{- fail (printf "the CRD statefulclusters.belay.dev and the other shared objects belong to the release %s in namespace %s; fix: --set shared.create=false" $name $namespace) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
