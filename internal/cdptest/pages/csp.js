// The one script that the strict page allows. It also reports what the policy stopped.
document.getElementById('state').textContent = 'script ran';
document.getElementById('b').addEventListener('click', event => { event.target.textContent = 'Pressed'; });
document.addEventListener('securitypolicyviolation', event => {
  document.getElementById('where').textContent = 'violated ' + event.effectiveDirective;
});
